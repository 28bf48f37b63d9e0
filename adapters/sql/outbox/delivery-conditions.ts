import type { Deliveries, DeliverySelection, DeliveryState } from '@rollcall/core';
import { allOf, type Condition, type SqlText } from '../engine/sql-text.js';

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
  userId,
  olderThan,
}: Omit<Parameters<Deliveries['list']>[0], 'limit'>): SqlText {
  return allOf(
    ['true'],
    state !== undefined && [states[state]],
    organizationId !== null && ['organization_id = ?', organizationId],
    since !== undefined && ['created_at >= ?', since],
    until !== undefined && ['created_at < ?', until],
    eventId !== undefined && ['event_id = ?', eventId],
    isTest !== undefined && [isTest ? 'is_test' : 'NOT is_test'],
    userId !== undefined && ['user_id = ?', userId],
    olderThan !== undefined && ['(created_at, id) < (?, ?)', olderThan.createdAt, olderThan.id],
  );
}

export function inStates({ states: selectedStates }: Pick<DeliverySelection, 'states'>): string {
  return selectedStates.map((state) => `(${states[state]})`).join(' OR ') || 'false';
}

/** There is always a lower bound of the time, because each state and the table have an index by time. */
export function selected({
  organizationId,
  states: selectedStates,
  deliveryId,
  since = new Date(0),
  until,
  ...last
}: DeliverySelection): SqlText {
  const own = conditionsOf({ organizationId, since, until, isTest: false });
  return allOf(
    [`(${inStates({ states: selectedStates })})`],
    [own.text, ...own.values],
    deliveryId !== undefined && ['id = ?', deliveryId],
    ['NOT is_erased'],
    lastAttempt(last),
  );
}

/** Joins the last attempt only if the selection needs it. */
function lastAttempt({
  phase,
  status,
  reason,
}: Pick<DeliverySelection, 'phase' | 'status' | 'reason'>): Condition {
  const pattern = `%${reason?.replace(/[!%_]/g, '!$&')}%`;
  const like = (column: string): string => `lower(${column}) LIKE lower(CAST(? AS text)) ESCAPE '!'`;
  const found = allOf(
    phase !== undefined && ['phase = ?', phase],
    status !== undefined && ['status = ?', status],
    reason !== undefined && [`(${like('outcome')} OR ${like('reason')})`, pattern, pattern],
  );
  if (found.text === '') return false;
  // LIMIT keeps PostgreSQL from joining the whole table of attempts. It looks up the attempts of each delivery.
  const exists = `EXISTS (
      SELECT 1 FROM (
        SELECT phase, status, outcome, reason FROM attempts
        WHERE delivery_id = deliveries.id ORDER BY number DESC LIMIT 1
      ) AS last_attempt
      WHERE ${found.text}
    )`;
  return [exists, ...found.values];
}
