import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EventFeed, FeedCursor, FeedPage, FeedQuery } from '@rollcall/core';
import { anOrganization, testUuid } from '@rollcall/core/testing';
import { type Database, sqlPorts } from '#adapters/sql/index.js';
import { prune, transferDatabase } from '#adapters/sql/maintenance/index.js';
import { insertEvent } from '#adapters/sql/stores/store-event.js';
import { createUnpositioned } from '#adapters/sql/stores/unpositioned-events.js';
import { eventName } from '#core/testing/subscribe.js';
import { startEmptyPostgresDatabase } from '../../support/postgres.js';
import { startEmptySqliteDatabase, storageOver } from '../../support/storage.js';

const now = new Date('2026-11-20T12:00:00.000Z');
const DAY = 24 * 60 * 60_000;
const month = { now, deliveryRetentionDays: 30, eventRetentionDays: 30 };
const starts = { sqlite: startEmptySqliteDatabase, postgres: startEmptyPostgresDatabase };

async function withDatabase(
  engine: keyof typeof starts,
  work: (database: Database) => Promise<void>,
): Promise<void> {
  const { database, stop } = await starts[engine]();
  try {
    await storageOver({ database, stop }).load({ organizations: [anOrganization(1), anOrganization(2)] });
    await work(database);
  } finally {
    await stop();
  }
}

interface Recorded {
  readonly from?: number;
  readonly to: number;
  /** Days before now. */
  readonly age?: number;
  readonly organizationId?: number;
}

/** Records events whose bodies are their numbers. */
async function record(
  { write }: Database,
  { from = 1, to, age = 0, organizationId = 1 }: Recorded,
): Promise<void> {
  await write(async (sql) => {
    for (let number = from; number <= to; number += 1)
      await insertEvent(sql, {
        id: testUuid(number),
        name: eventName,
        organizationId,
        body: String(number),
        createdAt: new Date(now.getTime() - age * DAY),
      });
  });
}

async function read(eventFeed: EventFeed, query: Partial<FeedQuery> = {}): Promise<FeedPage> {
  const page = await eventFeed.read({ organizationId: 1, after: null, order: 'asc', limit: 1000, ...query });
  if ('oldest' in page) throw new Error('expired');
  return page;
}

async function readAll(eventFeed: EventFeed, query: Partial<FeedQuery> = {}): Promise<readonly number[]> {
  const all: number[] = [];
  for (let after = query.after ?? null; ; ) {
    const page: FeedPage = await read(eventFeed, { ...query, after });
    all.push(...numbersOf(page));
    if (!page.hasMore) return all;
    after = page.next;
  }
}

function numbersOf({ events }: FeedPage): readonly number[] {
  return events.map(({ body }) => Number(body));
}

const upTo = (count: number, from = 1) =>
  Array.from({ length: count - from + 1 }, (_, index) => from + index);

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`The feed of events over ${engine}`, () => {
    test('reads more events than get their positions at once, in both orders', () =>
      withDatabase(engine, async (database) => {
        await record(database, { to: 4_100 });
        const { eventFeed } = sqlPorts(database);
        const newest = await read(eventFeed, { order: 'desc', limit: 1 });
        assert.deepEqual([numbersOf(newest), newest.hasMore], [[4_100], true]);
        await record(database, { from: 4_101, to: 8_200 });
        assert.deepEqual(await readAll(eventFeed), upTo(8_200));
        await record(database, { from: 8_201, to: 10_201 });
        const last = await read(eventFeed, { after: { position: 8_200, eventId: null }, limit: 2_000 });
        assert.deepEqual([last.events.length, last.hasMore], [2_000, true]);
        assert.deepEqual(await readAll(eventFeed, { order: 'desc' }), upTo(10_201).reverse());
      }));

    test('is pruned from its beginning, and only cursors from before that expire', () =>
      withDatabase(engine, async (database) => {
        const { eventFeed } = sqlPorts(database);
        await record(database, { to: 700, age: 31 });
        const early = await read(eventFeed, { limit: 10 });
        await record(database, { from: 701, to: 702, age: 29 });
        await record(database, { from: 703, to: 703, age: 40 });
        await record(database, { to: 2, age: 31, organizationId: 2 });
        assert.equal((await prune(database, { ...month, dryRun: true })).events, 702);
        assert.equal((await read(eventFeed, { after: early.next })).events.length, 693);
        assert.equal((await prune(database, month)).events, 702);
        assert.equal((await prune(database, month)).events, 0);

        const oldest = { position: 700, eventId: null };
        for (const order of ['asc', 'desc'] as const) {
          const query = { organizationId: 1, after: early.next, order, limit: 5 };
          assert.deepEqual(await eventFeed.read(query), { oldest });
        }
        assert.deepEqual(await readAll(eventFeed, { after: oldest }), [701, 702, 703]);
        const atTheEdge: FeedCursor = { position: 700, eventId: testUuid(700) };
        assert.deepEqual(await readAll(eventFeed, { after: atTheEdge }), [701, 702, 703]);
        assert.deepEqual(await readAll(eventFeed), [701, 702, 703]);
        assert.deepEqual(await readAll(eventFeed, { order: 'desc' }), [703, 702, 701]);
        assert.deepEqual(await readAll(eventFeed, { organizationId: 2 }), []);
        // Positions continue where the pruned events ended.
        await record(database, { from: 3, to: 3, organizationId: 2 });
        const [next] = (await read(eventFeed, { organizationId: 2 })).events;
        assert.equal(next?.position, 3);
      }));

    test('a reader who keeps reading while it is pruned gets every event or is told', () =>
      withDatabase(engine, async (database) => {
        const { eventFeed } = sqlPorts(database);
        await record(database, { to: 3_000, age: 31 });
        await record(database, { from: 3_001, to: 3_050 });
        const pruning = prune(database, month);
        let after: FeedCursor | null = null;
        const seen: number[] = [];
        for (;;) {
          const page = await eventFeed.read({ organizationId: 1, after, order: 'asc', limit: 20 });
          if ('oldest' in page) {
            assert.ok((after?.position ?? 0) < page.oldest.position);
            after = page.oldest;
            seen.length = 0;
            continue;
          }
          for (const number of numbersOf(page)) {
            assert.equal(number, (seen.at(-1) ?? number - 1) + 1);
            seen.push(number);
          }
          after = page.next;
          if (!page.hasMore) break;
        }
        await pruning;
        assert.equal(seen.at(-1), 3_050);
      }));

    test('keeps its cursors when the database is transferred to the other engine', () =>
      withDatabase(engine, async (database) => {
        const { eventFeed } = sqlPorts(database);
        await record(database, { to: 5, age: 31 });
        await record(database, { from: 6, to: 9 });
        await prune(database, month);
        const early = { position: 2, eventId: testUuid(2) };
        const { next } = await read(eventFeed, { limit: 2 });
        await record(database, { from: 10, to: 11 });
        const target = await starts[engine === 'sqlite' ? 'postgres' : 'sqlite']();
        try {
          await transferDatabase({ from: database, to: target.database });
          const there = sqlPorts(target.database).eventFeed;
          await record(target.database, { from: 12, to: 12 });
          assert.deepEqual(await readAll(there, { after: next }), [8, 9, 10, 11, 12]);
          const expired = await there.read({ organizationId: 1, after: early, order: 'asc', limit: 1 });
          assert.deepEqual(expired, { oldest: { position: 5, eventId: null } });
        } finally {
          await target.stop();
        }
      }));
  });
}

describe('The search for events without a position', () => {
  test('begins behind events that had their positions a minute ago, and once a minute at the start', () => {
    let now = 0;
    const unpositioned = createUnpositioned(() => now);
    const search = (...ids: readonly number[]): number => {
      const search = unpositioned.startSearch(1);
      search.positioned(ids);
      search.complete();
      return search.after;
    };
    assert.equal(search(1, 2, 10), 0);
    assert.equal(search(12, 11), 0);
    now = 60_000;
    assert.equal(search(20), 0);
    assert.equal(search(30), 10);
    now = 119_999;
    assert.equal(search(), 10);
    now = 120_000;
    assert.equal(search(), 0);
    assert.equal(search(), 20);
    assert.equal(unpositioned.startSearch(2).after, 0);
  });

  test('does not move if it was not completed, or if another search from the start has ended meanwhile', () => {
    let now = 0;
    const unpositioned = createUnpositioned(() => now);
    const begin = (...ids: readonly number[]) => {
      const search = unpositioned.startSearch(1);
      search.positioned(ids);
      return search;
    };
    begin(10).complete();
    now = 60_000;
    begin(15);
    const [one, other] = [begin(20), begin(30)];
    one.complete();
    other.complete();
    assert.equal(begin().after, 10);
  });
});
