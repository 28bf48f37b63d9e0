import { setTimeout as pause } from 'node:timers/promises';
import type { Bulk, Database, Engine } from '../engine/database.js';
import { isPostgresConstraintError, isPostgresLockTimeout } from '../postgres/errors.js';
import { isSqliteConstraintError } from '../sqlite/errors.js';
import { generationValues, nextGeneration } from '../stores/organizations.js';
import { DatasetError, type DatasetItem, type DatasetKind } from './dataset.js';
import { checkStaged } from './import-checks.js';
import {
  findPeople,
  giveNumbers,
  holdPeople,
  keepNumbers,
  makePeopleStaging,
  Outdated,
} from './import-people.js';
import { fillIn, kinds, makeStaging, type Staged, settleStaging, stage, stagedOf } from './staging.js';

/** What became of the records of each kind: one counts once, however often the dataset speaks of it. */
export type ImportCounts = Readonly<
  Record<DatasetKind, { readonly stored: number; readonly removed: number }>
>;

/** Where an import is, after everything has been read. */
export type ImportStep = 'check' | 'apply';

export interface ImportOptions {
  readonly at: Date;
  /** Called before each step. No one else can write during the last one; it is reported again when it is repeated. */
  readonly onStep?: ((step: ImportStep) => void) | undefined;
}

/** How often a dataset is applied that was correct when it was checked, if other writes contradict it meanwhile. */
const ATTEMPTS = 3;
/** How long an import waits for a lock of another process, while others wait for the rows that it has locked. */
const LOCK_TIMEOUT_MS = 500;
/** How long it tries to get all locks. It releases its own locks between the tries. */
const MAX_LOCK_WAIT_MS = 5 * 60_000;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;
/** More would not help: everything is read and written in order, and sorting takes as much again. */
const PAGE_CACHE_KIB = 16_384;

/**
 * Stores a dataset, all or nothing and in any order: the last record of a key counts, and importing it again
 * changes nothing. Makes no events. Memory does not grow with it. Others may read at all times, and write but
 * for the end, when everything is applied at once: reading, sorting, checking and counting are done before.
 * Throws `DatasetError` for the first line that contradicts the others or what is stored; what `source` throws
 * comes through.
 */
export async function importDataset(
  database: Database,
  source: AsyncIterable<readonly DatasetItem[]>,
  { at, onStep }: ImportOptions,
): Promise<ImportCounts> {
  return database.bulk(async (bulk) => {
    if (bulk.engine === 'sqlite') await bulk.run(`PRAGMA cache_size = -${PAGE_CACHE_KIB}`);
    await bulk.temporary(async () => {
      await makeStaging(bulk);
      await makePeopleStaging(bulk);
      await stage(bulk, source, at);
      await settleStaging(bulk);
    });
    const staged = await stagedOf(bulk);
    const until = performance.now() + MAX_LOCK_WAIT_MS;
    let wait = FIRST_PAUSE_MS;
    for (let attempt = 1; ; ) {
      onStep?.('check');
      await bulk.temporary(async () => {
        await findPeople(bulk);
        await fillIn(bulk, staged);
        await checkStaged(bulk);
      });
      try {
        onStep?.('apply');
        return await bulk.write(() => apply(bulk, staged, at));
      } catch (error) {
        if (isPostgresLockTimeout(error) && performance.now() < until) {
          await pause(wait);
          wait = Math.min(2 * wait, MAX_PAUSE_MS);
          continue;
        }
        const isOutdated = error instanceof Outdated;
        if (!isOutdated && !isSqliteConstraintError(error) && !isPostgresConstraintError(error)) throw error;
        if (attempt === ATTEMPTS) throw contradiction(error);
        attempt += 1;
      }
    }
  });
}

function contradiction(cause: unknown): DatasetError {
  const message = 'the records contradict each other or what is stored';
  return new DatasetError({ line: null, field: null }, message, { cause });
}

/**
 * What refers to another record is checked by the schema at the end, as the records come in any order. Somebody
 * may have written since the dataset was checked: what is left out is filled in again.
 */
async function apply(bulk: Bulk, staged: Staged, at: Date): Promise<ImportCounts> {
  await prepared[bulk.engine](bulk);
  await holdPeople(bulk);
  await giveNumbers(bulk);
  await fillIn(bulk, staged);
  const removed = await remove(bulk, staged);
  await applyOrganizations(bulk, at);
  await applyUsers(bulk);
  await keepNumbers(bulk);
  await applyMemberships(bulk, at);
  await withoutIndexes(bulk, { staged, kind: 'meeting', corrector: null, work: () => applyMeetings(bulk) });
  await applyTies(bulk);
  await withoutIndexes(bulk, {
    ...{ staged, kind: 'registration', corrector: 'registrations_end_time' },
    work: () => applyRegistrations(bulk),
  });
  await withoutIndexes(bulk, {
    ...{ staged, kind: 'waitlist_entry', corrector: 'waitlist_entries_end_time' },
    work: () => applyWaitlistEntries(bulk),
  });
  return countsOf(staged, removed);
}

/** One import at a time, in an order of its own, so that two never wait for each other. */
const IMPORT_LOCK = 0x526f6c6e;

const prepared: Record<Engine, (bulk: Bulk) => Promise<void>> = {
  async sqlite(bulk) {
    await bulk.run('PRAGMA defer_foreign_keys = ON');
  },
  async postgres(bulk) {
    await bulk.run(`SELECT pg_advisory_xact_lock(${IMPORT_LOCK}, 0)`);
    await bulk.run(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await bulk.run('SET CONSTRAINTS ALL DEFERRED');
  },
};

const timestampMark: Record<Engine, string> = { sqlite: '?', postgres: 'CAST(? AS timestamptz)' };

/** What belongs to a removed record goes with it. */
async function remove(bulk: Bulk, staged: Staged): Promise<ReadonlyMap<string, number>> {
  const removed = new Map<string, number>();
  for (const { kind, table, removes } of Object.values(staged).reverse()) {
    if (!removes) continue;
    const columns = kinds[kind].key.join(', ');
    const { changes } = await bulk.run(
      `DELETE FROM ${table} WHERE (${columns}) IN (SELECT ${columns} FROM staged_${table} WHERE deleted)`,
    );
    removed.set(kind, changes);
  }
  return removed;
}

/** What storing many rows would have to keep right, row by row, and what can be had anew afterwards. */
interface Burden {
  readonly drop: string;
  readonly make: string;
}

interface Laden {
  readonly staged: Staged;
  readonly kind: DatasetKind;
  /** The trigger that looks at each row for a copy that is wrong; those of an import are right. */
  readonly corrector: string | null;
}

/** On SQLite once more comes than is there: then it is faster to make such things anew. */
async function withoutIndexes(
  bulk: Bulk,
  { work, ...laden }: Laden & { readonly work: () => Promise<void> },
): Promise<void> {
  const isMuch = laden.staged[laden.kind].stored > 0;
  const burdens = isMuch ? await burdensOn[bulk.engine](bulk, laden) : [];
  for (const { drop } of burdens) await bulk.run(drop);
  await work();
  for (const { make } of burdens) await bulk.run(make);
}

const burdensOn: Record<Engine, (bulk: Bulk, laden: Laden) => Promise<readonly Burden[]>> = {
  async sqlite(bulk, { staged, kind, corrector }) {
    const { table, stored } = staged[kind];
    // Counts no further than it must.
    const more = await bulk.get(`SELECT 1 FROM ${table} LIMIT 1 OFFSET ?`, [stored]);
    if (more !== undefined) return [];
    const found = await bulk.all<{ type: string; name: string; sql: string }>(
      `SELECT type, name, sql FROM sqlite_schema
      WHERE tbl_name = ? AND sql IS NOT NULL AND (type = 'index' OR type = 'trigger' AND name = ?)`,
      [table, corrector],
    );
    return found.map(({ type, name, sql }) => ({ drop: `DROP ${type} ${name}`, make: sql }));
  },

  /**
   * Changing a table would wait for everybody who uses it, a vacuum too, and make everybody wait who comes later: only
   * the first rows of a table are stored so, while nobody is served. Else the trigger is told to pass this
   * transaction's rows over.
   */
  async postgres(bulk, { staged, kind, corrector }) {
    const { table } = staged[kind];
    const told = corrector === null ? [] : [toldToTrigger];
    const isFirst =
      !Object.values(staged).some(({ removes }) => removes) &&
      (await bulk.get(`SELECT 1 FROM ${table} LIMIT 1`)) === undefined &&
      (await bulk.get(mayAlter(table))) !== undefined;
    if (!isFirst || !(await bulk.isAlone())) return told;
    // What is referred to is there by now, and a table with references to check can't be changed.
    await bulk.run('SET CONSTRAINTS ALL IMMEDIATE');
    if (!(await isTaken(bulk, table))) return told;
    const alter = (how: string): string => `ALTER TABLE ${table} ${how} TRIGGER ${corrector}`;
    const off = corrector === null ? [] : [{ drop: alter('DISABLE'), make: alter('ENABLE') }];
    return [...off, ...(await bulk.all<Burden>(renewed(table)))];
  },
};

/** See the migration 0012. */
const toldToTrigger: Burden = {
  drop: `SET LOCAL rollcall.end_times_are_right = 'on'`,
  make: `SET LOCAL rollcall.end_times_are_right = 'off'`,
};

/** A row where the table is ours to alter, and its indexes are ours to make. */
const mayAlter = (table: string): string =>
  `SELECT 1 FROM pg_class WHERE oid = to_regclass('${table}')
    AND pg_has_role(relowner, 'USAGE') AND has_schema_privilege(relnamespace, 'CREATE')`;

/**
 * Takes the table and what it refers to for this transaction alone, if they are free. Somebody who reads is not
 * waited for: they may go on for hours, or wait for what we have.
 */
async function isTaken(bulk: Bulk, table: string): Promise<boolean> {
  await bulk.run(
    `DO $$
    DECLARE taken regclass;
    BEGIN
      FOR taken IN SELECT to_regclass('${table}')
        UNION SELECT confrelid FROM pg_constraint WHERE conrelid = to_regclass('${table}') AND contype = 'f'
      LOOP
        EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE NOWAIT', taken);
      END LOOP;
    EXCEPTION WHEN lock_not_available OR insufficient_privilege THEN
      NULL;
    END $$`,
  );
  const lock = await bulk.get(
    `SELECT 1 FROM pg_locks WHERE pid = pg_backend_pid() AND relation = to_regclass('${table}')
      AND mode = 'AccessExclusiveLock' AND granted`,
  );
  return lock !== undefined;
}

/** References, and the indexes of which nothing but their definition is to be had anew. */
const renewed = (table: string): string =>
  `SELECT format('ALTER TABLE ${table} DROP CONSTRAINT %I', conname) AS drop,
    format('ALTER TABLE ${table} ADD CONSTRAINT %I %s', conname, pg_get_constraintdef(oid)) AS make
  FROM pg_constraint WHERE conrelid = to_regclass('${table}') AND contype = 'f'
  UNION ALL
  SELECT format('DROP INDEX %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
  FROM pg_index
  WHERE indrelid = to_regclass('${table}') AND indisvalid AND NOT indisclustered AND NOT indisreplident
    AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid)`;

/** A key that changes hands within the dataset is free first. Another key kills the tokens of the old one. */
async function applyOrganizations(bulk: Bulk, at: Date): Promise<void> {
  await bulk.run(
    `UPDATE organizations
    SET access_key_hash = NULL, access_key_created_at = ?, access_key_generation = ${nextGeneration}
    FROM staged_organizations AS staged
    WHERE staged.id = organizations.id AND NOT staged.deleted
      AND staged.access_key_hash IS DISTINCT FROM organizations.access_key_hash`,
    [at, ...generationValues(at)],
  );
  await bulk.run(
    `INSERT INTO organizations
      (id, name, eap, time_zone, access_key_hash, access_key_generation, access_key_created_at)
    SELECT id, name, eap, time_zone, access_key_hash,
      CASE WHEN access_key_hash IS NULL THEN 0 ELSE CAST(? AS BIGINT) END,
      CASE WHEN access_key_hash IS NULL THEN NULL ELSE ${timestampMark[bulk.engine]} END
    FROM staged_organizations WHERE NOT deleted ORDER BY id
    ON CONFLICT (id) DO UPDATE SET
      name = excluded.name, eap = excluded.eap, time_zone = excluded.time_zone,
      access_key_hash = excluded.access_key_hash`,
    [generationValues(at)[0], at],
  );
}

/** An address that changes hands within the dataset is free first. UUIDs stay as they are. */
async function applyUsers(bulk: Bulk): Promise<void> {
  await bulk.run(
    `UPDATE users SET email = 'import ' || users.id
    FROM staged_users AS staged
    WHERE staged.id = users.id AND NOT staged.deleted AND staged.email <> users.email`,
  );
  await bulk.run(
    `INSERT INTO users (id, uuid, email, first_name, last_name, avatar, created_at)
    SELECT id, uuid, email, first_name, last_name, avatar, created_at
    FROM staged_users WHERE NOT deleted ORDER BY id
    ON CONFLICT (id) DO UPDATE SET
      email = excluded.email, first_name = excluded.first_name, last_name = excluded.last_name,
      avatar = excluded.avatar, created_at = excluded.created_at`,
  );
}

async function applyMemberships(bulk: Bulk, at: Date): Promise<void> {
  await bulk.run(
    `UPDATE memberships SET idp_id = NULL
    FROM staged_memberships AS staged
    WHERE memberships.organization_id = +staged.organization_id AND memberships.user_id = +staged.user_id
      AND NOT staged.deleted AND staged.idp_id IS DISTINCT FROM memberships.idp_id`,
  );
  await bulk.run(
    `INSERT INTO memberships (organization_id, user_id, uuid, role, idp_id, created_at)
    SELECT staged.organization_id, staged.user_id, users.uuid, staged.role, staged.idp_id, ?
    FROM staged_memberships AS staged LEFT JOIN users ON users.id = staged.user_id
    WHERE NOT staged.deleted ORDER BY staged.organization_id, staged.user_id
    ON CONFLICT (organization_id, user_id) DO UPDATE SET role = excluded.role, idp_id = excluded.idp_id`,
    [at],
  );
}

async function applyMeetings(bulk: Bulk): Promise<void> {
  const columns = kinds.meeting.columns.map(({ name }) => name);
  await bulk.run(
    `INSERT INTO meetings (id, ${columns.join(', ')})
    SELECT id, ${columns.join(', ')} FROM staged_meetings WHERE NOT deleted ORDER BY id
    ON CONFLICT (id) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}
    WHERE (${columns.map((name) => `meetings.${name}`).join(', ')})
      IS DISTINCT FROM (${columns.map((name) => `excluded.${name}`).join(', ')})`,
  );
}

/** Of the lists of organizations only that of a meeting's last record counts. */
async function applyTies(bulk: Bulk): Promise<void> {
  await bulk.run(
    `DELETE FROM service_meeting_organizations WHERE EXISTS (
      SELECT 1 FROM staged_tied AS tied JOIN staged_meetings AS staged
        ON staged.id = tied.meeting_id AND staged.line = tied.line
      WHERE tied.meeting_id = service_meeting_organizations.meeting_id
    )`,
  );
  await bulk.run(
    `INSERT INTO service_meeting_organizations (meeting_id, organization_id, start_time)
    SELECT ties.meeting_id, ties.organization_id, staged.start_time
    FROM staged_ties AS ties JOIN staged_meetings AS staged
      ON staged.id = ties.meeting_id AND staged.line = ties.line
    WHERE true ON CONFLICT DO NOTHING`,
  );
}

async function applyRegistrations(bulk: Bulk): Promise<void> {
  await bulk.run(
    `INSERT INTO registrations (meeting_id, user_id, registered_at, end_time)
    SELECT staged.meeting_id, staged.user_id, staged.registered_at, meetings.end_time
    FROM staged_registrations AS staged LEFT JOIN meetings ON meetings.id = staged.meeting_id
    WHERE NOT staged.deleted ORDER BY staged.meeting_id, staged.user_id
    ON CONFLICT (meeting_id, user_id) DO UPDATE SET registered_at = excluded.registered_at
    WHERE registrations.registered_at <> excluded.registered_at`,
  );
}

async function applyWaitlistEntries(bulk: Bulk): Promise<void> {
  await bulk.run(
    `INSERT INTO waitlist_entries (meeting_id, user_id, status, created_at, end_time)
    SELECT staged.meeting_id, staged.user_id, staged.status, staged.created_at, meetings.end_time
    FROM staged_waitlist_entries AS staged LEFT JOIN meetings ON meetings.id = staged.meeting_id
    WHERE NOT staged.deleted ORDER BY staged.meeting_id, staged.user_id
    ON CONFLICT (meeting_id, user_id) DO UPDATE SET status = excluded.status, created_at = excluded.created_at
    WHERE waitlist_entries.status <> excluded.status OR waitlist_entries.created_at <> excluded.created_at`,
  );
}

function countsOf(staged: Staged, removed: ReadonlyMap<string, number>): ImportCounts {
  const count = (kind: DatasetKind) => ({ stored: staged[kind].stored, removed: removed.get(kind) ?? 0 });
  return {
    organization: count('organization'),
    user: count('user'),
    membership: count('membership'),
    meeting: count('meeting'),
    registration: count('registration'),
    waitlist_entry: count('waitlist_entry'),
  };
}
