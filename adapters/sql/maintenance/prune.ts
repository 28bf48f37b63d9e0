import { setTimeout as pause } from 'node:timers/promises';
import { sessionIdleTimeMs, sessionLifetimeMs } from '@rollcall/core/rules';
import { type Database, inLists, type SqlValue } from '../engine/database.js';

export interface Prune {
  readonly now: Date;
  /** Days for which a delivery that has ended is kept, with its body and its attempts. */
  readonly deliveryRetentionDays: number;
  /** Counts what would be deleted, and deletes nothing. */
  readonly dryRun?: boolean;
  /** Ends it early, between two batches. */
  readonly signal?: AbortSignal;
}

/** How many were deleted. */
export interface Pruned {
  /** Over, because idle or old. */
  readonly sessions: number;
  /** Used or expired, and older than a day. */
  readonly loginLinks: number;
  /** Ended longer ago than they are kept. */
  readonly deliveries: number;
  /** Of the audit trail, older than a year. */
  readonly auditEntries: number;
}

const DAY = 24 * 60 * 60 * 1000;
const YEAR = 365 * DAY;
/** Rows that one statement reads or deletes: others read and write between the statements. */
const BATCH = 500;
/** Milliseconds for the others after a deletion. */
const TURN_OF_OTHERS = 25;

/** Deletes expired rows in small transactions, so that others can read and write meanwhile. */
export async function prune(database: Database, request: Prune): Promise<Pruned> {
  const { now, deliveryRetentionDays } = request;
  const ago = (milliseconds: number): Date => new Date(now.getTime() - milliseconds);
  if (database.engine === 'postgres') {
    await pruneTable(database, request, {
      table: 'failure_counts',
      key: 'counter',
      isOver: 'ends_at <= ?',
      values: [now],
    });
  }
  return {
    sessions: await pruneTable(database, request, {
      table: 'sessions',
      key: 'hash',
      isOver: '(seen_at <= ? OR opened_at <= ?)',
      values: [ago(sessionIdleTimeMs), ago(sessionLifetimeMs)],
    }),
    loginLinks: await pruneTable(database, request, {
      table: 'login_links',
      key: 'hash',
      isOver: '(created_at <= ? AND (redeemed_at IS NOT NULL OR expires_at <= ?))',
      values: [ago(DAY), now],
    }),
    deliveries: await pruneTable(database, request, {
      table: 'deliveries',
      key: 'id',
      isOver: '(finished_at IS NOT NULL AND finished_at <= ?)',
      values: [ago(deliveryRetentionDays * DAY)],
    }),
    auditEntries: await pruneTable(database, request, {
      table: 'audit_entries',
      key: 'id',
      isOver: '(at <= ?)',
      values: [ago(YEAR)],
    }),
  };
}

interface Prunable {
  readonly table: string;
  readonly key: string;
  readonly isOver: string;
  readonly values: readonly SqlValue[];
}

type Key = string | number;

interface Batch {
  /** Null: there was nothing more. */
  readonly last: Key | null;
  /** The keys of those that are over. */
  readonly over: readonly Key[];
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
    if (dryRun || batch.over.length === 0) {
      count += batch.over.length;
      await pause(0);
    } else {
      count += await remove(database, prunable, batch);
      await pause(TURN_OF_OTHERS);
    }
  }
  return count;
}

/** Walks along the key, so that no step takes longer the more there is. */
async function nextBatch(
  { read }: Database,
  { table, key, isOver, values }: Prunable,
  after: Key | null,
): Promise<Batch> {
  const rows = await read.all<{ key: Key; is_over: number | boolean }>(
    `SELECT ${key} AS key, ${isOver} AS is_over FROM ${table}
    WHERE ${after === null ? 'true' : `${key} > ?`} ORDER BY ${key} LIMIT ${BATCH}`,
    [...values, ...(after === null ? [] : [after])],
  );
  return {
    last: rows.at(-1)?.key ?? null,
    over: rows.filter((row) => Boolean(row.is_over)).map((row) => row.key),
  };
}

/** What is not over any more is kept: a delivery may have been asked for again. */
async function remove(
  { write }: Database,
  { table, key, isOver, values }: Prunable,
  { over }: Batch,
): Promise<number> {
  return write(async (sql) => {
    let count = 0;
    for (const list of inLists(over)) {
      const { changes } = await sql.run(
        `DELETE FROM ${table} WHERE ${key} IN (${list.placeholders}) AND ${isOver}`,
        [...list.values, ...values],
      );
      count += changes;
    }
    return count;
  });
}
