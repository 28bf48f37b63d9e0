import type { Deliveries, DeliverySelection, DeliveryState } from '@rollcall/core';
import { allOf, type Condition, raw, SQL, type SqlText } from '../engine/sql-text.js';

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
export function conditionsOf(query: Omit<Parameters<Deliveries['list']>[0], 'limit'>): SqlText {
  const { organizationId, state, since, until, eventId, isTest, userId, olderThan } = query;
  return allOf(
    raw('true'),
    state !== undefined && raw(states[state]),
    organizationId !== null && SQL`organization_id = ${organizationId}`,
    since !== undefined && SQL`created_at >= ${since}`,
    until !== undefined && SQL`created_at < ${until}`,
    eventId !== undefined && SQL`event_id = ${eventId}`,
    isTest !== undefined && raw(isTest ? 'is_test' : 'NOT is_test'),
    userId !== undefined && SQL`user_id = ${userId}`,
    olderThan !== undefined && SQL`(created_at, id) < (${olderThan.createdAt}, ${olderThan.id})`,
  );
}

export function inStates({ states: selectedStates }: Pick<DeliverySelection, 'states'>): SqlText {
  return raw(`(${selectedStates.map((state) => `(${states[state]})`).join(' OR ') || 'false'})`);
}

/** There is always a lower bound of the time, because each state and the table have an index by time. */
export function selected(selection: DeliverySelection): SqlText {
  const { organizationId, deliveryId, since = new Date(0), until } = selection;
  return allOf(
    inStates(selection),
    conditionsOf({ organizationId, since, until, isTest: false }),
    deliveryId !== undefined && SQL`id = ${deliveryId}`,
    raw('NOT is_erased'),
    lastAttempt(selection),
  );
}

/** Joins the last attempt only if the selection needs it. */
function lastAttempt({ phase, status, reason }: DeliverySelection): Condition {
  const pattern = `%${reason?.replace(/[!%_]/g, '!$&')}%`;
  const like = SQL`LIKE lower(CAST(${pattern} AS text)) ESCAPE '!'`;
  const found = allOf(
    phase !== undefined && SQL`phase = ${phase}`,
    status !== undefined && SQL`status = ${status}`,
    reason !== undefined && SQL`(lower(outcome) ${like} OR lower(reason) ${like})`,
  );
  if (found.text === '') return false;
  // LIMIT keeps PostgreSQL from joining the whole table of attempts. It looks up the attempts of each delivery.
  return SQL`EXISTS (
      SELECT 1 FROM (
        SELECT phase, status, outcome, reason FROM attempts
        WHERE delivery_id = deliveries.id ORDER BY number DESC LIMIT 1
      ) AS last_attempt
      WHERE ${found}
    )`;
}
