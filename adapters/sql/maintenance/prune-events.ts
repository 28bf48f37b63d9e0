import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../engine/database.js';
import { assignAllPositions } from '../stores/event-feed.js';

export interface PruneEvents {
  /** Events that were created at this time or earlier are deleted, unless an older place of the feed has a newer one. */
  readonly until: Date;
  readonly dryRun: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly batchRows: number;
  readonly pauseMs: number;
}

interface FeedRow {
  readonly organization_id: number;
  readonly pruned_position: number;
}

/**
 * Deletes old events from the beginning of each feed, and never one that comes after a kept one: cursors that are still
 * valid lead to every event after them. Returns the number of events. A dry run only reads.
 */
export async function pruneEvents(database: Database, request: PruneEvents): Promise<number> {
  if (!request.dryRun) await assignEverywhere(database, request);
  let count = request.dryRun ? await countUnpositioned(database, request) : 0;
  for (let after = 0; request.signal?.aborted !== true; ) {
    const feeds = await database.read.all<FeedRow>(
      `SELECT organization_id, pruned_position FROM event_feeds
      WHERE organization_id > ? ORDER BY organization_id LIMIT ${request.batchRows}`,
      [after],
    );
    for (const feed of feeds) count += await pruneFeed(database, feed, request);
    const last = feeds.at(-1);
    if (last === undefined) break;
    after = last.organization_id;
  }
  return count;
}

/** An event can only be pruned with its position. Nobody may have read its feed since it was recorded. */
async function assignEverywhere(database: Database, { signal, pauseMs }: PruneEvents): Promise<void> {
  for (let after = 0; signal?.aborted !== true; await pause(pauseMs)) {
    const organizationId = await nextUnpositioned(database, after);
    if (organizationId === null) return;
    await assignAllPositions(database, organizationId);
    after = organizationId;
  }
}

/** The next organization with events that have no position. */
async function nextUnpositioned({ read }: Database, after: number): Promise<number | null> {
  const next = await read.get<{ organization_id: number }>(
    `SELECT organization_id FROM events WHERE position IS NULL AND organization_id > ?
    ORDER BY organization_id LIMIT 1`,
    [after],
  );
  return next?.organization_id ?? null;
}

/** The number of events without a position that would be pruned. They come after those that have one. */
async function countUnpositioned(database: Database, request: PruneEvents): Promise<number> {
  let count = 0;
  let after = 0;
  while (request.signal?.aborted !== true) {
    const organizationId = await nextUnpositioned(database, after);
    if (organizationId === null) break;
    const kept = await database.read.get(
      'SELECT 1 FROM events WHERE organization_id = ? AND position IS NOT NULL AND created_at > ? LIMIT 1',
      [organizationId, request.until],
    );
    if (kept === undefined) count += await countFirstUnpositioned(database, organizationId, request);
    after = organizationId;
  }
  return count;
}

async function countFirstUnpositioned(
  { read }: Database,
  organizationId: number,
  { until, signal, batchRows }: PruneEvents,
): Promise<number> {
  let count = 0;
  for (let after = 0; signal?.aborted !== true; ) {
    const rows = await read.all<{ id: number; is_over: number | boolean }>(
      `SELECT id, created_at <= ? AS is_over FROM events
      WHERE organization_id = ? AND position IS NULL AND id > ? ORDER BY id LIMIT ${batchRows}`,
      [until, organizationId, after],
    );
    const kept = rows.findIndex((row) => !row.is_over);
    count += kept < 0 ? rows.length : kept;
    if (kept >= 0 || rows.length < batchRows) break;
    after = rows.at(-1)?.id ?? after;
  }
  return count;
}

async function pruneFeed(
  database: Database,
  { organization_id: organizationId, pruned_position: pruned }: FeedRow,
  { until, dryRun, signal, batchRows, pauseMs }: PruneEvents,
): Promise<number> {
  let count = 0;
  for (let after = pruned; signal?.aborted !== true; ) {
    const rows = await database.read.all<{ position: number; is_over: number | boolean }>(
      `SELECT position, created_at <= ? AS is_over FROM events
      WHERE organization_id = ? AND position > ? ORDER BY position LIMIT ${batchRows}`,
      [until, organizationId, after],
    );
    const kept = rows.findIndex((row) => !row.is_over);
    const over = kept < 0 ? rows : rows.slice(0, kept);
    const last = over.at(-1)?.position;
    if (last === undefined) break;
    count += dryRun ? over.length : await removeUntil(database, { organizationId, after, last });
    after = last;
    await pause(dryRun ? 0 : pauseMs);
    if (over.length < batchRows) break;
  }
  return count;
}

/** One transaction, so that no reader sees the feed without these events and with its old beginning. */
async function removeUntil(
  { write }: Database,
  range: { readonly organizationId: number; readonly after: number; readonly last: number },
): Promise<number> {
  const { organizationId, after, last } = range;
  const { changes } = await write(async (sql) => {
    await sql.run(
      'UPDATE event_feeds SET pruned_position = ? WHERE organization_id = ? AND pruned_position < ?',
      [last, organizationId, last],
    );
    return sql.run('DELETE FROM events WHERE organization_id = ? AND position > ? AND position <= ?', [
      organizationId,
      after,
      last,
    ]);
  });
  return changes;
}
