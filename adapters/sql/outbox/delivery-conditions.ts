import type { Deliveries, DeliverySelection, DeliveryState } from '@rollcall/core';
import type { SqlValue } from '../engine/database.js';

/** A held delivery is stored as a failed one without an end, which no other delivery is. */
export const isHeld = `state = 'failed' AND finished_at IS NULL`;

const states: Record<DeliveryState, string> = {
  pending: `state = 'pending'`,
  sending: `state = 'sending'`,
  delivered: `state = 'delivered'`,
  failed: `state = 'failed' AND finished_at IS NOT NULL`,
  skipped: `state = 'skipped'`,
  held: isHeld,
};

/** The state and `isTest` are part of the text: otherwise SQLite would not use an index for one of their values. */
export function conditionsOf({
  organizationId,
  state,
  since,
  until,
  eventId,
  isTest,
  olderThan,
}: Omit<Parameters<Deliveries['list']>[0], 'limit'>): {
  readonly conditions: string;
  readonly values: readonly SqlValue[];
} {
  const conditions = ['true'];
  const values: SqlValue[] = [];
  const add = (condition: string, ...own: readonly SqlValue[]): void => {
    conditions.push(condition);
    values.push(...own);
  };
  if (state !== undefined) add(states[state]);
  if (organizationId !== null) add('organization_id = ?', organizationId);
  if (since !== undefined) add('created_at >= ?', since);
  if (until !== undefined) add('created_at < ?', until);
  if (eventId !== undefined) add('event_id = ?', eventId);
  if (isTest !== undefined) add(isTest ? 'is_test' : 'NOT is_test');
  if (olderThan !== undefined) add('(created_at, id) < (?, ?)', olderThan.createdAt, olderThan.id);
  return { conditions: conditions.join(' AND '), values };
}

export function inStates({ states: selectedStates }: Pick<DeliverySelection, 'states'>): string {
  return selectedStates.map((state) => `(${states[state]})`).join(' OR ') || 'false';
}

type Conditions = ReturnType<typeof conditionsOf>;

/** There is always a lower bound of the time, because each state and the table have an index by time. */
export function selected({
  organizationId,
  states: selectedStates,
  since = new Date(0),
  until,
  ...last
}: DeliverySelection): Conditions {
  const { conditions, values } = conditionsOf({ organizationId, since, until, isTest: false });
  const attempt = lastAttempt(last);
  return {
    conditions: `(${inStates({ states: selectedStates })}) AND ${conditions} AND NOT is_erased${attempt.conditions}`,
    values: [...values, ...attempt.values],
  };
}

/** Joins the last attempt only if the selection needs it. */
function lastAttempt({
  phase,
  status,
  reason,
}: Pick<DeliverySelection, 'phase' | 'status' | 'reason'>): Conditions {
  const pattern = reason === undefined ? undefined : `%${reason.replace(/[!%_]/g, '!$&')}%`;
  const like = (column: string): string => `lower(${column}) LIKE lower(CAST(? AS text)) ESCAPE '!'`;
  const parts: readonly (readonly [condition: string, ...values: readonly SqlValue[]])[] = [
    ...(phase === undefined ? [] : [['phase = ?', phase] as const]),
    ...(status === undefined ? [] : [['status = ?', status] as const]),
    ...(pattern === undefined
      ? []
      : [[`(${like('outcome')} OR ${like('reason')})`, pattern, pattern] as const]),
  ];
  if (parts.length === 0) return { conditions: '', values: [] };
  return {
    // LIMIT keeps PostgreSQL from joining the whole table of attempts. It looks up the attempts of each delivery.
    conditions: ` AND EXISTS (
      SELECT 1 FROM (
        SELECT phase, status, outcome, reason FROM attempts
        WHERE delivery_id = deliveries.id ORDER BY number DESC LIMIT 1
      ) AS last_attempt
      WHERE ${parts.map(([condition]) => condition).join(' AND ')}
    )`,
    values: parts.flatMap(([, ...values]) => values),
  };
}
