import { setTimeout as pause } from 'node:timers/promises';
import { sessionIdleTime, sessionLifetime } from '@rollcall/core';
import type { Database, SqlValue } from './database.js';

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
}

const DAY = 24 * 60 * 60 * 1000;
/** Rows that are looked at, or deleted, in one go: others read and write in between. */
const BATCH = 500;
/** Milliseconds for the others after a deletion. */
const TURN_OF_OTHERS = 25;

/** Deletes what nobody needs any more, in small transactions, so that others go on reading and writing. */
export async function prune(database: Database, request: Prune): Promise<Pruned> {
  const { now, deliveryRetentionDays } = request;
  const ago = (milliseconds: number): Date => new Date(now.getTime() - milliseconds);
  return {
    sessions: await pruneTable(database, request, {
      table: 'sessions',
      key: 'hash',
      isOver: '(seen_at <= ? OR opened_at <= ?)',
      values: [ago(sessionIdleTime), ago(sessionLifetime)],
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
  };
}

interface Prunable {
  readonly table: string;
  readonly key: string;
  readonly isOver: string;
  readonly values: readonly SqlValue[];
}

interface Batch {
  readonly last: string | number | null;
  /** The keys of those that are over, as a JSON array. */
  readonly over: string;
  readonly count: number;
}

async function pruneTable(
  database: Database,
  { dryRun = false, signal }: Prune,
  prunable: Prunable,
): Promise<number> {
  let count = 0;
  for (let after: string | number | null = null; signal?.aborted !== true; ) {
    const batch: Batch = await nextBatch(database, prunable, after);
    if (batch.last === null) break;
    after = batch.last;
    if (dryRun || batch.count === 0) {
      count += batch.count;
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
  after: string | number | null,
): Promise<Batch> {
  const row = await read.get<Batch>(
    `SELECT max(key) AS last, json_group_array(key) FILTER (WHERE is_over) AS over,
      count(*) FILTER (WHERE is_over) AS count
    FROM (
      SELECT ${key} AS key, ${isOver} AS is_over FROM ${table}
      WHERE ${after === null ? 'true' : `${key} > ?`} ORDER BY ${key} LIMIT ${BATCH}
    )`,
    [...values, ...(after === null ? [] : [after])],
  );
  return row ?? { last: null, over: '[]', count: 0 };
}

/** What is not over any more is kept: a delivery may have been asked for again. */
async function remove(
  { write }: Database,
  { table, key, isOver, values }: Prunable,
  { over }: Batch,
): Promise<number> {
  const { changes } = await write((sql) =>
    sql.run(`DELETE FROM ${table} WHERE ${key} IN (SELECT value FROM json_each(?)) AND ${isOver}`, [
      over,
      ...values,
    ]),
  );
  return changes;
}
