import { setTimeout as pause } from 'node:timers/promises';
import { answerLifetimeMs, sessionIdleTimeMs, sessionLifetimeMs } from '@rollcall/core/rules';
import { type Database, inLists, type SqlValue } from '../engine/database.js';
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
  /** Sessions that have expired because they were idle or old. */
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
}

const DAY_MS = 24 * 60 * 60 * 1000;
const YEAR_MS = 365 * DAY_MS;
const DELETION_RETENTION_DAYS = 30;
/** Rows that one statement reads or deletes. Other statements run in between. */
const BATCH_ROWS = 500;
/** The pause after each deletion, for other work. */
const PAUSE_MS = 25;

/** Deletes expired rows in small transactions, so that others can read and write meanwhile. */
export async function prune(database: Database, request: Prune): Promise<Pruned> {
  const { now, deliveryRetentionDays, eventRetentionDays, dryRun = false, signal } = request;
  const ago = (milliseconds: number): Date => new Date(now.getTime() - milliseconds);
  if (database.engine === 'postgres') {
    await pruneTable(database, request, {
      table: 'failure_counts',
      key: 'counter',
      isExpired: 'ends_at <= ?',
      values: [now],
    });
  }
  if (request.dryRun !== true) await forgetReplaced(database, ago(DAY_MS));
  if (request.dryRun !== true) await pruneAnswers(database, request);
  if (request.dryRun !== true) await pruneImports(database, ago(IMPORTS_KEPT_DAYS * DAY_MS));
  return {
    sessions: await pruneTable(database, request, {
      table: 'sessions',
      key: 'hash',
      isExpired: '(seen_at <= ? OR opened_at <= ?)',
      values: [ago(sessionIdleTimeMs), ago(sessionLifetimeMs)],
    }),
    loginLinks: await pruneTable(database, request, {
      table: 'login_links',
      key: 'hash',
      isExpired: '(created_at <= ? AND (redeemed_at IS NOT NULL OR expires_at <= ?))',
      values: [ago(DAY_MS), now],
    }),
    deliveries: await pruneTable(database, request, {
      table: 'deliveries',
      key: 'id',
      isExpired: '(finished_at IS NOT NULL AND finished_at <= ?)',
      values: [ago(deliveryRetentionDays * DAY_MS)],
    }),
    events: await pruneEvents(database, {
      until: ago(eventRetentionDays * DAY_MS),
      ...{ dryRun, signal, batchRows: BATCH_ROWS, pauseMs: PAUSE_MS },
    }),
    deletions: await pruneDeletions(database, {
      until: ago(DELETION_RETENTION_DAYS * DAY_MS),
      ...{ dryRun, signal, batchRows: BATCH_ROWS, pauseMs: PAUSE_MS },
    }),
    auditEntries: await pruneTable(database, request, {
      table: 'audit_entries',
      key: 'id',
      isExpired: '(at <= ?)',
      values: [ago(YEAR_MS)],
    }),
  };
}

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

interface Prunable {
  readonly table: string;
  readonly key: string;
  readonly isExpired: string;
  readonly values: readonly SqlValue[];
}

type Key = string | number;

interface Batch {
  /** Null when there were no more rows. */
  readonly last: Key | null;
  /** The keys of the expired rows. */
  readonly expired: readonly Key[];
}

async function pruneTable(
  database: Database,
  { dryRun = false, signal }: Prune,
  prunable: Prunable,
): Promise<number> {
  let count = 0;
  for (let after: Key | null = null; signal?.aborted !== true; ) {
    const batch: Batch = await nextBatch(database, prunable, after);
    if (batch.last === null) break;
    after = batch.last;
    if (dryRun || batch.expired.length === 0) {
      count += batch.expired.length;
      await pause(0);
    } else {
      count += await remove(database, prunable, batch);
      await pause(PAUSE_MS);
    }
  }
  return count;
}

/** Reads rows in the order of the key, so that a step takes the same time in a large table. */
async function nextBatch(
  { read }: Database,
  { table, key, isExpired, values }: Prunable,
  after: Key | null,
): Promise<Batch> {
  const rows = await read.all<{ key: Key; is_over: number | boolean }>(
    `SELECT ${key} AS key, ${isExpired} AS is_over FROM ${table}
    WHERE ${after === null ? 'true' : `${key} > ?`} ORDER BY ${key} LIMIT ${BATCH_ROWS}`,
    [...values, ...(after === null ? [] : [after])],
  );
  return {
    last: rows.at(-1)?.key ?? null,
    expired: rows.filter((row) => Boolean(row.is_over)).map((row) => row.key),
  };
}

/** Checks the condition again: a delivery may have been redelivered meanwhile, and is then kept. */
async function remove(
  { write }: Database,
  { table, key, isExpired, values }: Prunable,
  { expired }: Batch,
): Promise<number> {
  return write(async (sql) => {
    let count = 0;
    for (const list of inLists(expired)) {
      const { changes } = await sql.run(
        `DELETE FROM ${table} WHERE ${key} IN (${list.placeholders}) AND ${isExpired}`,
        [...list.values, ...values],
      );
      count += changes;
    }
    return count;
  });
}
