import type { Bulk, Engine } from '../engine/database.js';
import { raw, SQL, type SqlText } from '../engine/sql-text.js';
import { countOf, execute } from '../engine/statements.js';
import { endMemberships } from '../stores/end-memberships.js';
import { lockMeetings, nextChangeTime } from '../stores/meeting-clock.js';
import { firstGeneration, nextGeneration } from '../stores/organizations.js';
import { endSetUpsOfOthers } from '../stores/setup-links.js';
import { dropIndexesIfFaster } from './drop-indexes-if-faster.js';
import {
  addRegistrants,
  findRegistrants,
  keepEnded,
  type MembershipEvents,
  type Registrations,
  storeMembershipEvents,
} from './import-events.js';
import { acceptInvited, findInvited } from './import-invitations.js';
import { changesIdentity, lockPeople, Outdated, storeNumbers } from './import-people.js';
import { findChanges, recordChanges } from './meeting-changes.js';
import { type DatasetKind, kinds, type Staged } from './staged-kinds.js';
import { type FilledKinds, fillIn, hasColumn, updateOf } from './staging.js';

/** How many records of each kind were stored and removed. Several lines about one record count once. */
export type ImportCounts = Readonly<
  Record<DatasetKind, { readonly stored: number; readonly removed: number }>
>;

export interface Applied {
  readonly counts: ImportCounts;
  readonly registrations: Registrations;
}

export interface ApplyDataset {
  readonly staged: Staged;
  /** Of which kinds the check has found stored records. */
  readonly filled: FilledKinds;
  readonly at: Date;
  readonly events: MembershipEvents;
}

/**
 * Stores the staged records, in the transaction of the caller. The database checks references at the end, because the
 * records come in any order. Other processes may have written since the dataset was checked, so the values that it
 * leaves out are filled in again.
 */
export async function applyDataset(
  bulk: Bulk,
  { staged, filled, at, events }: ApplyDataset,
): Promise<Applied> {
  await prepare[bulk.engine](bulk);
  await lockPeople(bulk);
  await fillIn(bulk, { staged, at, filled });
  const found = await findChanges(bulk, staged);
  const ended = await endOfDeleted(bulk, { staged, at, events });
  const removed = await remove(bulk, { staged, ended });
  if (staged.organization.stored > 0) await applyOrganizations(bulk, { staged, at });
  if (staged.user.stored > 0) await applyUsers(bulk, at);
  await storeNumbers(bulk);
  if (staged.membership.stored > 0) await applyMemberships(bulk, { staged, at });
  const updatedAt = await nextChangeTime(bulk);
  await dropIndexesIfFaster(bulk, {
    staged,
    kind: 'meeting',
    corrector: null,
    work: () => applyMeetings(bulk, updatedAt),
  });
  await applyTies(bulk, updatedAt);
  await recordChanges(bulk, found, updatedAt);
  for (const kind of ['registration', 'waitlist_entry'] as const) await applyPlaces(bulk, { staged, kind });
  const registrations = await storeMembershipEvents(bulk, events);
  return { counts: countsOf(staged, removed), registrations };
}

const noRegistrations: Registrations = { count: 0, firstDeliveries: new Map() };

/** Counts what an import would store and remove, without a lock. */
export async function countDataset(bulk: Bulk, staged: Staged): Promise<Applied> {
  const removed = new Map<string, number>();
  for (const { kind, table, removes } of Object.values(staged)) {
    if (!removes) continue;
    removed.set(kind, await countOf(bulk)(deletedIn(kind, table)));
  }
  const count = await findRegistrants(bulk);
  return { counts: countsOf(staged, removed), registrations: { ...noRegistrations, count } };
}

function deletedIn(kind: DatasetKind, table: string): SqlText {
  const columns = kinds[kind].key.join(', ');
  return raw(`FROM ${table} WHERE (${columns}) IN (SELECT ${columns} FROM staged_${table} WHERE deleted)`);
}

/** How long an import waits for another process's lock. Meanwhile others wait for the rows that it has locked. */
const LOCK_TIMEOUT_MS = 500;

const prepare: Record<Engine, (bulk: Bulk) => Promise<void>> = {
  async sqlite(bulk) {
    await bulk.run('PRAGMA defer_foreign_keys = ON');
  },
  async postgres(bulk) {
    await lockMeetings(bulk);
    await bulk.run(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await bulk.run('SET CONSTRAINTS ALL DEFERRED');
  },
};

/** The memberships that end: those that are deleted, and those of users who are. */
const ending = {
  membership: raw(`(memberships.organization_id, memberships.user_id) IN (
    SELECT organization_id, user_id FROM staged_memberships WHERE deleted
  )`),
  user: raw('memberships.user_id IN (SELECT id FROM staged_users WHERE deleted)'),
} as const;

async function endOfDeleted(
  bulk: Bulk,
  { staged, at, events }: Pick<ApplyDataset, 'staged' | 'at' | 'events'>,
): Promise<number> {
  let count = 0;
  for (const kind of ['membership', 'user'] as const) {
    if (!staged[kind].removes) continue;
    const where = ending[kind];
    if (events.ended !== null) await keepEnded(bulk, where);
    const ended = await endMemberships(bulk, { where, at });
    if (kind === 'membership') count = ended;
  }
  return count;
}

/** Removes the records to be deleted, with the rows that belong to them. Returns the number of each kind. */
async function remove(bulk: Bulk, { staged, ended }: { readonly staged: Staged; readonly ended: number }) {
  const removed = new Map([['membership', ended]]);
  for (const { kind, table, removes } of Object.values(staged).reverse()) {
    if (!removes || kind === 'membership') continue;
    const { changes } = await execute(bulk)`DELETE ${deletedIn(kind, table)}`;
    removed.set(kind, changes);
  }
  // Nothing refers to these, so the database does not remove them by itself.
  if (staged.organization.removes)
    await bulk.run(
      'DELETE FROM mails WHERE organization_id IN (SELECT id FROM staged_organizations WHERE deleted)',
    );
  return removed;
}

/**
 * First frees the access keys that move to another organization within the dataset. A new key makes the tokens of the
 * old one invalid.
 */
async function applyOrganizations(bulk: Bulk, { staged, at }: Pick<ApplyDataset, 'staged' | 'at'>) {
  await execute(bulk)`UPDATE organizations
    SET access_key_hash = NULL, access_key_created_at = ${at}, access_key_generation = ${nextGeneration(at)}
    FROM staged_organizations AS staged
    WHERE staged.id = organizations.id AND NOT staged.deleted
      AND ${hasColumn('organization', 'access_key_hash')}
      AND staged.access_key_hash IS DISTINCT FROM organizations.access_key_hash`;
  await execute(bulk)`INSERT INTO organizations
      (id, name, eap, time_zone, access_key_hash, access_key_generation, access_key_created_at)
    SELECT id, name, eap, time_zone, access_key_hash,
      CASE WHEN access_key_hash IS NULL THEN 0 ELSE CAST(${firstGeneration(at)} AS BIGINT) END,
      CASE WHEN access_key_hash IS NULL THEN NULL ELSE CAST(${at} AS timestamptz) END
    FROM staged_organizations WHERE NOT deleted ORDER BY id
    ON CONFLICT (id) DO UPDATE SET ${updateOf(staged.organization)}`;
}

/**
 * First frees the addresses that move to another user within the dataset. Stored UUIDs stay as they are. Throws `Outdated`
 * if a person with a password has got another address since `lockPeople`: an import does not change it. The audit trails
 * of the person's organizations have the change, because an erasure finds earlier addresses there.
 */
async function applyUsers(bulk: Bulk, at: Date): Promise<void> {
  await execute(bulk)`INSERT INTO audit_entries (organization_id, at, who, action, subject)
    SELECT memberships.organization_id, CAST(${at} AS timestamptz), 'operator', 'email-changed',
      users.email || ' → ' || staged.email
    FROM staged_users AS staged CROSS JOIN users ON users.id = +staged.id
    CROSS JOIN memberships ON memberships.user_id = users.id
    WHERE NOT staged.deleted AND staged.email <> users.email AND users.password_hash IS NULL
    ORDER BY memberships.organization_id, users.id`;
  await execute(bulk)`UPDATE users SET email = 'import ' || users.id
    FROM staged_users AS staged
    WHERE staged.id = users.id AND NOT staged.deleted AND staged.email <> users.email
      AND users.password_hash IS NULL`;
  await endAccessOfMoved(bulk);
  await execute(bulk)`INSERT INTO users (id, uuid, email, first_name, last_name, avatar, created_at)
    SELECT id, uuid, email, first_name, last_name, avatar, created_at
    FROM staged_users WHERE NOT deleted ORDER BY id
    ON CONFLICT (id) DO UPDATE SET
      email = CASE WHEN users.password_hash IS NULL THEN excluded.email ELSE users.email END,
      first_name = excluded.first_name, last_name = excluded.last_name,
      avatar = excluded.avatar, created_at = excluded.created_at`;
  // The rows are locked now.
  if (bulk.engine === 'postgres' && (await changesIdentity(bulk)))
    throw new Outdated('an account has changed');
}

/** As every change of an address does: a link in the old mailbox must not set the password, and no session stays. */
async function endAccessOfMoved(bulk: Bulk): Promise<void> {
  for (const table of ['sessions', 'password_resets'])
    await execute(bulk)`DELETE FROM ${raw(table)} WHERE user_id IN (
        SELECT users.id FROM staged_users AS staged CROSS JOIN users ON users.id = +staged.id
        WHERE NOT staged.deleted AND users.email = 'import ' || users.id
      )`;
}

async function applyMemberships(bulk: Bulk, { staged, at }: Pick<ApplyDataset, 'staged' | 'at'>) {
  await findInvited(bulk, at);
  await findRegistrants(bulk);
  await execute(bulk)`UPDATE memberships SET idp_id = NULL
    FROM staged_memberships AS staged
    WHERE memberships.organization_id = +staged.organization_id AND memberships.user_id = +staged.user_id
      AND NOT staged.deleted AND ${hasColumn('membership', 'idp_id')}
      AND staged.idp_id IS DISTINCT FROM memberships.idp_id`;
  await addRegistrants[bulk.engine](bulk, at);
  await execute(bulk)`INSERT INTO memberships (organization_id, user_id, uuid, role, idp_id, created_at)
    SELECT staged.organization_id, staged.user_id, users.uuid, staged.role, staged.idp_id, ${at}
    FROM staged_memberships AS staged LEFT JOIN users ON users.id = staged.user_id
    WHERE NOT staged.deleted ORDER BY staged.organization_id, staged.user_id
    ON CONFLICT (organization_id, user_id) DO UPDATE SET ${updateOf(staged.membership)}`;
  await endSetUpsOfOthers(bulk);
  await acceptInvited(bulk, at);
}

async function applyMeetings(bulk: Bulk, updatedAt: Date): Promise<void> {
  const names = kinds.meeting.columns.map(({ name }) => name);
  const columns = raw(names.join(', '));
  await execute(bulk)`INSERT INTO meetings (id, ${columns}, updated_at)
    SELECT id, ${columns}, CAST(${updatedAt} AS timestamptz)
    FROM staged_meetings WHERE NOT deleted ORDER BY id
    ON CONFLICT (id) DO UPDATE SET ${replaced([...names, 'updated_at'])} WHERE ${differsIn('meetings', names)}`;
}

/**
 * Stores the list of organizations in the last record of each meeting. A meeting with another list counts as updated:
 * an organization that it is newly tied to must find it among the changes. Ties that stay keep their time.
 */
async function applyTies(bulk: Bulk, updatedAt: Date): Promise<void> {
  await execute(bulk)`UPDATE meetings SET updated_at = ${updatedAt} WHERE id IN (
      SELECT stored.id FROM staged_ties AS ties
      CROSS JOIN meetings AS stored ON stored.id = ties.meeting_id AND stored.updated_at <> ${updatedAt}
      CROSS JOIN staged_meetings AS staged ON staged.id = ties.meeting_id AND staged.line = ties.line
      LEFT JOIN service_meeting_organizations AS old
        ON old.meeting_id = ties.meeting_id AND old.organization_id = ties.organization_id
      WHERE old.meeting_id IS NULL
      UNION
      SELECT stored.id FROM dropped_ties AS dropped
      CROSS JOIN meetings AS stored ON stored.id = dropped.meeting_id AND stored.updated_at <> ${updatedAt}
    )`;
  await execute(bulk)`DELETE FROM service_meeting_organizations
    WHERE (meeting_id, organization_id) IN (SELECT meeting_id, organization_id FROM dropped_ties)`;
  await execute(bulk)`INSERT INTO service_meeting_organizations
      (meeting_id, organization_id, start_time, updated_at)
    SELECT ties.meeting_id, ties.organization_id, staged.start_time, CAST(${updatedAt} AS timestamptz)
    FROM staged_ties AS ties JOIN staged_meetings AS staged
      ON staged.id = ties.meeting_id AND staged.line = ties.line
    WHERE true ON CONFLICT DO NOTHING`;
}

/** With a copy of the end of the meeting. */
async function applyPlaces(
  bulk: Bulk,
  { staged, kind }: { readonly staged: Staged; readonly kind: 'registration' | 'waitlist_entry' },
): Promise<void> {
  const { table, stored } = staged[kind];
  if (stored === 0) return;
  const names = kinds[kind].columns.map(({ name }) => name);
  const store = SQL`INSERT INTO ${raw(table)} (meeting_id, user_id, ${raw(names.join(', '))}, end_time)
    SELECT staged.meeting_id, staged.user_id, ${namesOf('staged', names)}, meetings.end_time
    FROM staged_${raw(table)} AS staged LEFT JOIN meetings ON meetings.id = staged.meeting_id
    WHERE NOT staged.deleted ORDER BY staged.meeting_id, staged.user_id
    ON CONFLICT (meeting_id, user_id) DO UPDATE SET ${replaced(names)} WHERE ${differsIn(table, names)}`;
  await dropIndexesIfFaster(bulk, {
    ...{ staged, kind, corrector: `${table}_end_time` },
    work: async () => void (await execute(bulk)(store)),
  });
}

function namesOf(row: string, names: readonly string[]): SqlText {
  return raw(names.map((name) => `${row}.${name}`).join(', '));
}

function replaced(names: readonly string[]): SqlText {
  return raw(names.map((name) => `${name} = excluded.${name}`).join(', '));
}

function differsIn(table: string, names: readonly string[]): SqlText {
  return SQL`(${namesOf(table, names)}) IS DISTINCT FROM (${namesOf('excluded', names)})`;
}

function countsOf(staged: Staged, removed: ReadonlyMap<string, number>): ImportCounts {
  const counts = Object.values(staged).map(
    ({ kind, stored }) => [kind, { stored, removed: removed.get(kind) ?? 0 }] as const,
  );
  return Object.fromEntries(counts) as ImportCounts;
}
