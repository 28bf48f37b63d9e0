import type { EventFeed, EventName, FeedCursor, FeedPage, FeedQuery } from '@rollcall/core';
import { type Database, only, type Sql } from '../engine/database.js';
import { andAllOf, raw, SQL } from '../engine/sql-text.js';
import { execute, select } from '../engine/statements.js';
import { oneOf, type StoredRow, storedIn } from '../engine/stored.js';
import { createUnpositioned, type Search } from './unpositioned-events.js';

export function sqlEventFeed(database: Database): EventFeed {
  const unpositioned = createUnpositioned();
  return {
    async read(query) {
      const search = unpositioned.startSearch(query.organizationId);
      let page = await readPage(database, query, search.after);
      const { after } = query;
      if (!page.hasNew) search.complete();
      else if (needsNew(page, query)) {
        await assignAll(database, query, search);
        page = await readPage(database, query, search.after);
      }
      if (isExpired(page, after)) return { oldest: { position: page.prunedPosition, eventId: null } };
      return toFeedPage(page, query);
    },
  };
}

/** Whether events without a position may belong on the page. They come last in the feed. */
function needsNew({ rows }: ReadPage, { after, order, limit }: FeedQuery): boolean {
  return order === 'asc' ? rows.length <= limit : after === null;
}

// ── Assigning positions ────────────────────────────────────────────────────────────────────────────────────

/** The maximum number of positions that one transaction assigns. */
const MAX_BATCH = 2000;

/**
 * Assigns the next positions to events that have none, oldest first, and returns the ids of their rows. One caller at a
 * time does this for a feed, and every other reader sees all of its positions at once or none. After a crash, the events
 * still have no position, and no reader has seen one.
 */
async function assignPositions(
  { write }: Pick<Database, 'write'>,
  { organizationId, after }: { readonly organizationId: number; readonly after: number },
): Promise<readonly number[]> {
  return write(async (sql) => {
    const lastPosition = await lockFeed(sql, organizationId);
    // On PostgreSQL, only a statement that begins after the lock sees what the previous holder has assigned.
    const assigned = await select<{ id: number }>(sql)`WITH fresh AS MATERIALIZED (
        SELECT id, row_number() OVER (ORDER BY id) AS number FROM (
          SELECT id FROM events WHERE organization_id = ${organizationId} AND position IS NULL AND id > ${after}
          ORDER BY id LIMIT ${raw(MAX_BATCH)}
        ) AS firsts
      )
      UPDATE events SET position = CAST(${lastPosition} AS bigint) + fresh.number FROM fresh
        WHERE events.id = fresh.id
      RETURNING events.id`;
    if (assigned.length > 0)
      await execute(sql)`UPDATE event_feeds SET last_position = ${lastPosition + assigned.length}
        WHERE organization_id = ${organizationId}`;
    return assigned.map(({ id }) => id);
  });
}

/** Assigns positions until the page is full or no event is without one. */
async function assignAll(database: Database, { organizationId, order, limit }: FeedQuery, search: Search) {
  let missing = order === 'asc' ? limit + 1 : Number.POSITIVE_INFINITY;
  while (missing > 0) {
    const ids = await assignPositions(database, { organizationId, after: search.after });
    search.positioned(ids);
    if (ids.length < MAX_BATCH) return search.complete();
    missing -= ids.length;
  }
}

/** Assigns positions to all events of the organization that have none. */
export async function assignAllPositions(
  database: Pick<Database, 'write'>,
  organizationId: number,
): Promise<void> {
  let ids: readonly number[];
  do ids = await assignPositions(database, { organizationId, after: 0 });
  while (ids.length === MAX_BATCH);
}

/** Locks the feed until the end of the transaction and returns its last position. */
async function lockFeed(sql: Sql, organizationId: number): Promise<number> {
  const lock = () =>
    select<{ last_position: number }>(sql)`SELECT last_position FROM event_feeds
      WHERE organization_id = ${organizationId} FOR NO KEY UPDATE`;
  const [feed] = await lock();
  if (feed !== undefined) return feed.last_position;
  await execute(sql)`INSERT INTO event_feeds (organization_id) VALUES (${organizationId}) ON CONFLICT
    DO NOTHING`;
  return only(await lock()).last_position;
}

// ── Reading a page ─────────────────────────────────────────────────────────────────────────────────────────

interface Head {
  readonly last_position: number | null;
  readonly pruned_position: number | null;
  readonly after_id: string | null;
  readonly last_id: string | null;
  readonly has_new: number | boolean;
}

const positioned = storedIn('page', {
  ...{ id: ['event_id', 'text'], name: ['event_name', oneOf<EventName>()], body: 'text' },
  ...{ createdAt: 'time', position: 'whole' },
});

interface ReadPage {
  /** One more than the page's limit if there are more. */
  readonly rows: readonly ReturnType<typeof positioned.read>[];
  readonly end: FeedCursor;
  readonly prunedPosition: number;
  /** The event at the place after which the page begins. */
  readonly afterId: string | null;
  readonly hasNew: boolean;
}

/** One statement, so that no events are pruned or get their positions in between. */
async function readPage(
  { read }: Pick<Database, 'read'>,
  { organizationId, after, order, name, limit }: FeedQuery,
  unpositionedAfter: number,
): Promise<ReadPage> {
  const [comparison, direction] = order === 'asc' ? [raw('>'), raw('ASC')] : [raw('<'), raw('DESC')];
  const from = after?.position ?? (order === 'asc' ? 0 : Number.MAX_SAFE_INTEGER);
  const ofFeed = SQL`events WHERE organization_id = ${organizationId}`;
  const rows = await select<StoredRow & Head>(read)`WITH head AS MATERIALIZED (
      SELECT feed.last_position, feed.pruned_position,
        (SELECT event_id FROM ${ofFeed} AND position = ${after?.position ?? 0}) AS after_id,
        (SELECT event_id FROM ${ofFeed} AND position = feed.last_position) AS last_id,
        EXISTS (SELECT 1 FROM ${ofFeed} AND position IS NULL AND id > ${unpositionedAfter}) AS has_new
      FROM (SELECT 1) AS one LEFT JOIN event_feeds AS feed ON feed.organization_id = ${organizationId}
    )
    SELECT head.last_position, head.pruned_position, head.after_id, head.last_id, head.has_new,
      ${raw(positioned.columns)}
    FROM head LEFT JOIN (
      SELECT position, event_id, event_name, body, created_at FROM ${ofFeed}
        AND position ${comparison} ${from}${andAllOf(name !== undefined && SQL`event_name = ${name}`)}
      ORDER BY position ${direction} LIMIT ${limit + 1}
    ) AS page ON true`;
  const [head] = rows;
  return {
    // The order of the subquery is not promised after the join.
    rows: rows
      .filter(({ position }) => position !== null)
      .map(positioned.read)
      .sort((one, other) => (order === 'asc' ? 1 : -1) * (one.position - other.position)),
    end: { position: head?.last_position ?? 0, eventId: head?.last_id ?? null },
    prunedPosition: head?.pruned_position ?? 0,
    afterId: head?.after_id ?? null,
    hasNew: Boolean(head?.has_new),
  };
}

/** The feed of an older backup ends before the place, or has another event there. */
function isExpired({ prunedPosition, end, afterId }: ReadPage, after: FeedCursor | null): boolean {
  if (after === null) return false;
  const isOther = afterId !== null && after.eventId !== null && afterId !== after.eventId;
  return after.position < prunedPosition || after.position > end.position || isOther;
}

function toFeedPage({ rows, end }: ReadPage, { organizationId, after, order, limit }: FeedQuery): FeedPage {
  const events = rows.slice(0, limit).map((row) => ({ ...row, organizationId }));
  const hasMore = rows.length > limit;
  const last = events.at(-1);
  if (last === undefined || (order === 'asc' && !hasMore))
    return { events, hasMore, next: order === 'asc' ? end : (after ?? end) };
  return { events, hasMore, next: { position: last.position, eventId: last.id } };
}
