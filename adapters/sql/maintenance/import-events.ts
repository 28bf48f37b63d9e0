import type { MembershipFacts, NewEvent, Organization, Webhook } from '@rollcall/core';
import { isSubscribed } from '@rollcall/core/adapters';
import type { Bulk, Engine } from '../engine/database.js';
import { raw, type SqlText } from '../engine/sql-text.js';
import { execute, exists, select } from '../engine/statements.js';
import type { StoredRow } from '../engine/stored.js';
import type { FirstDeliveries } from '../outbox/delivery-news.js';
import { organizationOf, storedMember } from '../stores/members.js';
import { eventColumns, eventValues, insertDelivery } from '../stores/store-event.js';
import { webhookOf } from '../stores/webhook-row.js';
import { columnTypes } from './staged-kinds.js';

// A membership with `registered` is a registration, if it is new: it makes one event, as accepting an invitation does.

/** What is told of memberships: builds the events of one. Null: nothing is told, and nothing is read for it. */
export interface MembershipEvents {
  readonly registered: ((facts: MembershipFacts) => readonly NewEvent[]) | null;
  readonly ended: ((facts: MembershipFacts) => readonly NewEvent[]) | null;
}

export const noEvents: MembershipEvents = { registered: null, ended: null };

interface Context {
  readonly organization: Organization;
  readonly webhook: Webhook | null;
}

export interface Registrations {
  readonly count: number;
  readonly firstDeliveries: FirstDeliveries;
}

/** Creates the tables of registrations and ended memberships, in the transaction that creates the staging tables. */
export async function createRegistrantStaging(bulk: Bulk): Promise<void> {
  const { whole } = columnTypes[bulk.engine];
  for (const table of ['staged_registrants', 'registrants'])
    await bulk.run(
      `CREATE TEMP TABLE ${table} (organization_id ${whole}, user_id ${whole}${table === 'registrants' ? '' : `, line ${whole}`})`,
    );
  await execute(bulk)`CREATE TEMP TABLE ended_members AS SELECT ${raw(storedMember.columns)}
    FROM memberships JOIN users ON users.id = memberships.user_id WHERE false`;
}

/** Finds the registrations whose membership is not stored yet, and returns their number. */
export async function findRegistrants(bulk: Bulk): Promise<number> {
  await bulk.run('DELETE FROM registrants');
  if (!(await exists(bulk)`FROM staged_registrants LIMIT 1`)) return 0;
  const { changes } = await execute(bulk)`INSERT INTO registrants (organization_id, user_id)
    SELECT staged.organization_id, staged.user_id
    FROM staged_registrants AS registered
    CROSS JOIN staged_memberships AS staged ON staged.organization_id = registered.organization_id
      AND staged.user_id = registered.user_id AND staged.line = registered.line
    LEFT JOIN memberships AS stored
      ON stored.organization_id = +staged.organization_id AND stored.user_id = +staged.user_id
    WHERE NOT staged.deleted AND stored.user_id IS NULL`;
  return changes;
}

/**
 * Adds the memberships of the registrations, so that a registration by someone else at the same time makes the only
 * event. Call it before the other memberships are stored. On SQLite nobody else can write.
 */
export const addRegistrants: Record<Engine, (bulk: Bulk, at: Date) => Promise<void>> = {
  async sqlite() {},
  async postgres(bulk, at) {
    await execute(bulk)`WITH added AS (
        INSERT INTO memberships (organization_id, user_id, uuid, role, idp_id, created_at)
        SELECT staged.organization_id, staged.user_id, users.uuid, staged.role, staged.idp_id, ${at}
        FROM registrants JOIN staged_memberships AS staged USING (organization_id, user_id)
        LEFT JOIN users ON users.id = staged.user_id
        ORDER BY staged.organization_id, staged.user_id
        ON CONFLICT (organization_id, user_id) DO NOTHING
        RETURNING organization_id, user_id
      )
      DELETE FROM registrants WHERE NOT EXISTS (
        SELECT 1 FROM added
        WHERE added.organization_id = registrants.organization_id AND added.user_id = registrants.user_id
      )`;
  },
};

/** Keeps the memberships that are about to end, as they are. */
export async function keepEnded(bulk: Bulk, where: SqlText): Promise<void> {
  await execute(bulk)`INSERT INTO ended_members SELECT ${raw(storedMember.columns)}
    FROM memberships JOIN users ON users.id = memberships.user_id WHERE ${where}`;
}

const ROWS_AT_ONCE = 500;

/** A page of the memberships that are told of, by organization and user. */
const pageOf: Readonly<Record<keyof MembershipEvents, string>> = {
  registered: `SELECT ${storedMember.columns}
    FROM registrants AS told JOIN memberships ON memberships.organization_id = told.organization_id
      AND memberships.user_id = told.user_id
    JOIN users ON users.id = told.user_id`,
  ended: 'SELECT * FROM ended_members AS told',
};

/**
 * Stores the events of the memberships, and their deliveries if the webhook is subscribed. Call it last: until the commit,
 * the webhooks of these organizations are locked, and readers of the feeds look for events that were stored earlier.
 */
export async function storeMembershipEvents(bulk: Bulk, events: MembershipEvents): Promise<Registrations> {
  const firstDeliveries = new Map<number, number>();
  await storeEvents(bulk, { moment: 'ended', build: events.ended, firstDeliveries });
  const count = await storeEvents(bulk, { moment: 'registered', build: events.registered, firstDeliveries });
  return { count, firstDeliveries };
}

interface StoreEvents {
  readonly moment: keyof MembershipEvents;
  readonly build: MembershipEvents[keyof MembershipEvents];
  readonly firstDeliveries: Map<number, number>;
}

/** Returns the number of memberships that were told of. */
async function storeEvents(bulk: Bulk, { moment, build, firstDeliveries }: StoreEvents): Promise<number> {
  if (build === null) return 0;
  let count = 0;
  let organizationId = 0;
  let userId = 0;
  let context: Context | null = null;
  for (;;) {
    const rows = await select<StoredRow>(bulk)`${raw(pageOf[moment])}
      WHERE (told.organization_id, told.user_id)
        > (CAST(${organizationId} AS bigint), CAST(${userId} AS bigint))
      ORDER BY told.organization_id, told.user_id LIMIT ${raw(ROWS_AT_ONCE)}`;
    const stored: NewEvent[] = [];
    const deliveries: NewEvent[] = [];
    for (const member of rows.map(storedMember.read)) {
      organizationId = member.organizationId;
      userId = member.user.id;
      if (context?.organization.id !== organizationId) context = await contextOf(bulk, organizationId);
      const { organization, webhook } = context;
      for (const event of build({ organization, member })) {
        stored.push(event);
        if (!isSubscribed(webhook, event.name)) continue;
        if (firstDeliveries.has(organizationId)) deliveries.push(event);
        else firstDeliveries.set(organizationId, await insertDelivery(bulk, event));
      }
    }
    await loadEvents(bulk, 'events', stored);
    await loadEvents(bulk, 'deliveries', deliveries);
    count += rows.length;
    if (rows.length < ROWS_AT_ONCE) return count;
  }
}

async function contextOf(bulk: Bulk, organizationId: number): Promise<Context> {
  const organization = await organizationOf(bulk, organizationId);
  return { organization, webhook: await webhookOf(bulk, organizationId) };
}

async function loadEvents(bulk: Bulk, table: 'events' | 'deliveries', events: readonly NewEvent[]) {
  if (events.length > 0) await bulk.load({ table, columns: eventColumns }, events.flatMap(eventValues));
}
