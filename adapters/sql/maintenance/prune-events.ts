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
 * valid lead to every event after them. Returns the number of events.
 */
export async function pruneEvents(database: Database, request: PruneEvents): Promise<number> {
  await assignEverywhere(database, request);
  let count = 0;
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
    const next = await database.read.get<{ organization_id: number }>(
      `SELECT organization_id FROM events WHERE position IS NULL AND organization_id > ?
      ORDER BY organization_id LIMIT 1`,
      [after],
    );
    if (next === undefined) return;
    after = next.organization_id;
    await assignAllPositions(database, after);
  }
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
