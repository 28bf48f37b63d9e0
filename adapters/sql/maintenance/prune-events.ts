import type { Database } from '../engine/database.js';
import { raw } from '../engine/sql-text.js';
import { execute, exists, select } from '../engine/statements.js';
import { assignAllPositions } from '../stores/event-feed.js';
import { BATCH_ROWS, byOrganization, type Pruning, pruneBatches } from './prune-batches.js';

/** Events without a position, which come after those that have one. */
const UNPOSITIONED = { columns: 'organization_id', from: 'events WHERE position IS NULL' };
const FEEDS = { columns: 'organization_id, pruned_position', from: 'event_feeds WHERE true' };

type FeedRow = Readonly<Record<'organization_id' | 'pruned_position', number>>;

/**
 * Deletes the events until this time from the beginning of each feed, and never one that comes after a newer one: cursors
 * that are still valid lead to every event after them. Returns the number of events. A dry run only reads.
 */
export async function pruneEvents(run: Pruning, until: Date): Promise<number> {
  const { database, dryRun } = run;
  let count = 0;
  for await (const { organization_id: organizationId } of byOrganization(run, UNPOSITIONED)) {
    // An event can only be pruned with its position. Nobody may have read its feed since it was recorded.
    if (!dryRun) await assignAllPositions(database, organizationId);
    else {
      const keepsPositioned = await exists(database.read)`FROM events
        WHERE organization_id = ${organizationId} AND position IS NOT NULL AND created_at > ${until} LIMIT 1`;
      if (!keepsPositioned) count += await pruneFeed(run, { organizationId, until, key: 'id', after: 0 });
    }
  }
  for await (const feed of byOrganization<FeedRow>(run, FEEDS)) {
    const { organization_id: organizationId, pruned_position: after } = feed;
    count += await pruneFeed(run, { organizationId, until, key: 'position', after });
  }
  return count;
}

interface Feed {
  readonly organizationId: number;
  readonly until: Date;
  /** `id` for events without a position. */
  readonly key: 'position' | 'id';
  readonly after: number;
}

interface EventRow {
  readonly key: number;
  readonly is_over: number | boolean;
}

/** Prunes the first events of the feed, as far as they are old. */
function pruneFeed(run: Pruning, { organizationId, until, key, after }: Feed): Promise<number> {
  const { database } = run;
  return pruneBatches<EventRow>(run, {
    read: (last) =>
      select<EventRow>(database.read)`SELECT ${raw(key)} AS key, created_at <= ${until} AS is_over FROM events
        WHERE organization_id = ${organizationId}${raw(key === 'id' ? ' AND position IS NULL' : '')}
          AND ${raw(key)} > ${last?.key ?? after}
        ORDER BY ${raw(key)} LIMIT ${raw(BATCH_ROWS)}`,
    expiredIn(rows) {
      const kept = rows.findIndex((row) => !row.is_over);
      return kept < 0 ? rows : rows.slice(0, kept);
    },
    isLast: (rows) => rows.some((row) => !row.is_over),
    remove: ([first], { key: last }) =>
      removeUntil(database, { organizationId, first: first?.key ?? last, last }),
  });
}

/** One transaction, so that no reader sees the feed without these events and with its old beginning. */
async function removeUntil(
  { write }: Database,
  range: { readonly organizationId: number; readonly first: number; readonly last: number },
): Promise<number> {
  const { organizationId, first, last } = range;
  const { changes } = await write(async (sql) => {
    await execute(sql)`UPDATE event_feeds SET pruned_position = ${last}
      WHERE organization_id = ${organizationId} AND pruned_position < ${last}`;
    return execute(sql)`DELETE FROM events
      WHERE organization_id = ${organizationId} AND position >= ${first} AND position <= ${last}`;
  });
  return changes;
}
