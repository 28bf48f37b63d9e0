import { setTimeout as pause } from 'node:timers/promises';
import { answerLifetimeMs, sessionLifetimeMs } from '@rollcall/core/rules';
import { type Database, inLists } from '../engine/database.js';
import { pruneDeletions } from './prune-deletions.js';
import { pruneEvents } from './prune-events.js';

export interface Prune {
  readonly now: Date;
  /** How many days a finished delivery is kept, with its body and its attempts. */
  readonly deliveryRetentionDays: number;
  /** How many days an event is kept in its organization's feed. */
  readonly eventRetentionDays: number;
  /** Only counts the rows that would be deleted. */
  readonly dryRun?: boolean;
  /** Stops between two batches. */
  readonly signal?: AbortSignal;
}

/** The numbers of deleted rows. */
export interface Pruned {
  /** Sessions that began longer ago than a session can last. Those that were idle until they expired are deleted then. */
  readonly sessions: number;
  /** Links that are redeemed or expired, and older than a day. */
  readonly loginLinks: number;
  /** Deliveries that finished longer ago than they are kept. */
  readonly deliveries: number;
  /** Events that are older than they are kept. */
  readonly events: number;
  /** Deletions of meetings that partners have had 30 days to read. */
  readonly deletions: number;
  /** Entries of the audit trail that are older than a year. */
  readonly auditEntries: number;
  /** Invitations that were accepted or revoked more than a year ago. */
  readonly invitations: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const YEAR_MS = 365 * DAY_MS;
const DELETION_RETENTION_DAYS = 30;
/** Rows that one statement reads or deletes. Other statements run in between. */
const BATCH_ROWS = 500;
/** The pause after each deletion, for other work. */
const PAUSE_MS = 25;

/**
 * Deletes expired rows in small transactions, so that others can read and write meanwhile. Finds them without reading the
 * rows that stay, however many there are.
 */
export async function prune(database: Database, request: Prune): Promise<Pruned> {
  const { now, deliveryRetentionDays, eventRetentionDays, dryRun = false, signal } = request;
  const ago = (milliseconds: number): Date => new Date(now.getTime() - milliseconds);
  if (database.engine === 'postgres') {
    await pruneByTime(database, request, {
      ...{ table: 'failure_counts', key: 'counter', time: 'ends_at', until: now },
    });
  }
  // A link to set a new password works for minutes. A mail is given up after three days, if the service sends mail.
  const forgotten = [
    { table: 'password_resets', key: 'hash', time: 'created_at', until: ago(DAY_MS) },
    { table: 'mails', key: 'id', time: 'created_at', until: ago(7 * DAY_MS) },
  ];
  for (const expired of forgotten) await pruneByTime(database, request, expired);
  if (request.dryRun !== true) await forgetReplaced(database, ago(DAY_MS));
  if (request.dryRun !== true) await pruneAnswers(database, request);
  if (request.dryRun !== true) await pruneImports(database, ago(IMPORTS_KEPT_DAYS * DAY_MS));
  return {
    sessions: await pruneByTime(database, request, {
      ...{ table: 'sessions', key: 'hash', time: 'opened_at', until: ago(sessionLifetimeMs) },
    }),
    // A link works for minutes, so that every link of a day ago has expired.
    loginLinks: await pruneByTime(database, request, {
      ...{ table: 'login_links', key: 'hash', time: 'created_at', until: ago(DAY_MS) },
    }),
    deliveries: await pruneOldest(database, request, {
      ...{ table: 'deliveries', time: 'created_at', until: ago(deliveryRetentionDays * DAY_MS) },
      end: 'finished_at',
    }),
    events: await pruneEvents(database, {
      until: ago(eventRetentionDays * DAY_MS),
      ...{ dryRun, signal, batchRows: BATCH_ROWS, pauseMs: PAUSE_MS },
    }),
    deletions: await pruneDeletions(database, {
      until: ago(DELETION_RETENTION_DAYS * DAY_MS),
      ...{ dryRun, signal, batchRows: BATCH_ROWS, pauseMs: PAUSE_MS },
    }),
    auditEntries: await pruneOldest(database, request, {
      ...{ table: 'audit_entries', time: 'at', end: 'at', until: ago(YEAR_MS) },
    }),
    invitations: await pruneByTime(database, request, {
      ...{ table: 'invitations', key: 'id', time: invitationEnd, until: ago(YEAR_MS) },
    }),
  };
}

/** As in the index `ended_invitations`. */
const invitationEnd = 'coalesce(accepted_at, revoked_at)';

/** How long imports stay in the log. The last one stays longer. */
const IMPORTS_KEPT_DAYS = 90;

/** Deletes old imports from the log. There are few, and they are not counted. */
async function pruneImports({ write }: Database, before: Date): Promise<void> {
  await write((sql) =>
    sql.run('DELETE FROM imports WHERE ended_at < ? AND id < (SELECT max(id) FROM imports)', [before]),
  );
}

/** Removes signing secrets and access keys that were replaced and whose use ended before this time. */
async function forgetReplaced({ write }: Database, before: Date): Promise<void> {
  await write((sql) =>
    sql.run(
      `UPDATE webhooks SET previous_sealed_secret = NULL, previous_secret_until = NULL
      WHERE previous_secret_until <= ?`,
      [before],
    ),
  );
  await write((sql) =>
    sql.run(
      `UPDATE organizations SET previous_key_hash = NULL, previous_key_generation = NULL,
        previous_key_used_at = NULL, previous_key_until = NULL, previous_key_replaced_by = NULL
      WHERE previous_key_until <= ?`,
      [before],
    ),
  );
}

/** Deletes the answers that are no longer repeated. They are not counted: they expire one day after the call. */
async function pruneAnswers({ read, write }: Database, { now, signal }: Prune): Promise<void> {
  const expiry = new Date(now.getTime() - answerLifetimeMs);
  while (signal?.aborted !== true) {
    const [batch] = await read.all<{ last: string | null }>(
      `SELECT max(begun_at) AS last FROM (
        SELECT begun_at FROM idempotency_keys WHERE begun_at < ? ORDER BY begun_at LIMIT ${BATCH_ROWS}
      ) AS oldest`,
      [expiry],
    );
    const last = batch?.last ?? null;
    if (last === null) return;
    await write((sql) => sql.run('DELETE FROM idempotency_keys WHERE begun_at <= ?', [new Date(last)]));
    await pause(PAUSE_MS);
  }
}

interface Expired {
  readonly table: string;
  readonly until: Date;
}

/** Rows that expire at a time that has an index. */
interface ByTime extends Expired {
  readonly key: string;
  readonly time: string;
}

/** Deletes the rows whose time is not after `until`, in the order of that time. Returns their number. */
async function pruneByTime(
  database: Database,
  { dryRun = false, signal }: Prune,
  { table, key, time, until }: ByTime,
): Promise<number> {
  if (dryRun) {
    const row = await database.read.get<{ count: number }>(
      `SELECT count(*) AS count FROM ${table} WHERE ${time} <= ?`,
      [until],
    );
    return Number(row?.count ?? 0);
  }
  let count = 0;
  // Beginning at the last time passes over the rows that are deleted already, which PostgreSQL keeps for a while.
  for (let from: string | null = null; signal?.aborted !== true; await pause(PAUSE_MS)) {
    const rows: readonly { key: string; time: string }[] = await database.read.all(
      `SELECT ${key} AS key, ${time} AS time FROM ${table}
      WHERE ${time} <= ?${from === null ? '' : ` AND ${time} >= ?`} ORDER BY ${time} LIMIT ${BATCH_ROWS}`,
      [until, ...(from === null ? [] : [new Date(from)])],
    );
    const last = rows.at(-1);
    if (last === undefined) break;
    const keys = rows.map((row) => row.key);
    count += await remove(database, { table, key, keys, isExpired: `${time} <= ?`, until });
    from = last.time;
    if (rows.length < BATCH_ROWS) break;
  }
  return count;
}

/** Rows whose ids roughly follow `time`. */
interface Oldest extends Expired {
  /** When the row was stored. */
  readonly time: string;
  /** When it ended: not before `time`, and null if it has not ended. Rows that ended until `until` expire. */
  readonly end: string;
}

/**
 * Deletes expired rows from the first id on, and stops where all rows of a batch were stored after `until`: later rows
 * are newer. Rows out of order are found by a later run. Returns the number of deleted rows.
 */
async function pruneOldest(
  database: Database,
  { dryRun = false, signal }: Prune,
  { table, time, end, until }: Oldest,
): Promise<number> {
  let count = 0;
  for (let after = 0; signal?.aborted !== true; ) {
    const rows = await database.read.all<{ id: number; is_old: number | boolean; is_over: unknown }>(
      `SELECT id, ${time} <= ? AS is_old, ${end} <= ? AS is_over FROM ${table}
      WHERE id > ? ORDER BY id LIMIT ${BATCH_ROWS}`,
      [until, until, after],
    );
    const last = rows.at(-1);
    if (last === undefined || !rows.some((row) => row.is_old)) break;
    after = last.id;
    const keys = rows.filter((row) => row.is_over).map(({ id }) => id);
    if (dryRun || keys.length === 0) count += keys.length;
    // A delivery may be redelivered meanwhile, and is then kept.
    else count += await remove(database, { table, key: 'id', keys, isExpired: `${end} <= ?`, until });
    await pause(dryRun || keys.length === 0 ? 0 : PAUSE_MS);
  }
  return count;
}

interface Removal {
  readonly table: string;
  readonly key: string;
  readonly keys: readonly (string | number)[];
  /** Checked again for each row. */
  readonly isExpired: string;
  readonly until: Date;
}

async function remove({ write }: Database, { table, key, keys, isExpired, until }: Removal): Promise<number> {
  return write(async (sql) => {
    let count = 0;
    for (const list of inLists(keys)) {
      const { changes } = await sql.run(
        `DELETE FROM ${table} WHERE ${key} IN (${list.placeholders}) AND ${isExpired}`,
        [...list.values, until],
      );
      count += changes;
    }
    return count;
  });
}
