import type { NewEvent } from '@rollcall/core';
import { isSubscribed } from '@rollcall/core/adapters';
import type { Sql, SqlValue } from '../engine/database.js';
import { listOf, raw, SQL, type SqlText } from '../engine/sql-text.js';
import { execute, selectOnly } from '../engine/statements.js';
import type { Transaction } from '../outbox/waiting-deliveries.js';
import { webhookOf } from './webhook-row.js';

/** The columns of an event, which `events` and `deliveries` share. */
export const eventColumns = [
  ...['organization_id', 'event_id', 'event_name', 'body', 'created_at'],
  ...['user_id', 'user_uuid', 'user_email'],
] as const;

export function eventValues(event: NewEvent): readonly SqlValue[] {
  const { organizationId, id, name, body, createdAt, about } = event;
  const person = [about?.id ?? null, about?.uuid ?? null, about?.email ?? null];
  return [organizationId, id, name, body, createdAt, ...person];
}

/**
 * Records the event in the transaction of what it tells, with its delivery if the webhook is subscribed. Positions in
 * the feed are assigned after the commit: one that was assigned here could become visible after a larger one.
 */
export async function storeEvent(sql: Transaction, event: NewEvent): Promise<void> {
  await insertEvent(sql, event);
  if (isSubscribed(await webhookOf(sql, event.organizationId), event.name))
    sql.waits(event.organizationId, await insertDelivery(sql, event));
}

export async function insertEvent(sql: Sql, event: NewEvent): Promise<void> {
  await execute(sql)(inserted('events', event));
}

/** Writes a delivery of the event. Returns its id. */
export async function insertDelivery(sql: Sql, event: NewEvent): Promise<number> {
  return (await selectOnly<{ id: number }>(sql)`${inserted('deliveries', event)} RETURNING id`).id;
}

function inserted(table: 'events' | 'deliveries', event: NewEvent): SqlText {
  return SQL`INSERT INTO ${raw(table)} (${raw(eventColumns.join(', '))}) VALUES (${listOf(eventValues(event))})`;
}
