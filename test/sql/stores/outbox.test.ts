import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Outbox } from '@rollcall/core';
import { testUuid } from '@rollcall/core/testing';
import pg from 'pg';
import { type Database, openDatabase, type Sql, type SqlValue, sqlPorts } from '#adapters/sql/index.js';
import { eventName } from '#core/testing/subscribe.js';
import { claimPages, readsTooMuch } from '../../support/claim-pages.js';
import { storeWaitingEvents } from '../../support/delivery-rate.js';
import { startEmptyPostgresDatabase, startPostgresDatabase } from '../../support/postgres.js';
import { countBuffers } from '../../support/statement-buffers.js';
import { startEmptySqliteDatabase } from '../../support/storage.js';

const at = new Date('2026-11-20T18:00:00.000Z');
const ORGANIZATIONS = 10_000;

/** A PostgreSQL with waiting events, and a client that queries it directly. */
async function withWaiting(
  { organizations, events }: { readonly organizations: number; readonly events: number },
  work: (started: Started) => Promise<void>,
): Promise<void> {
  const { database, url, stop } = await startPostgresDatabase();
  const client = new pg.Client({ connectionString: url, query_timeout: 60_000 });
  await client.connect();
  try {
    await storeWaitingEvents(url, { organizations, events });
    await work({ database, url, client });
  } finally {
    await client.end();
    await stop();
  }
}

interface Started {
  readonly database: Awaited<ReturnType<typeof openDatabase>>;
  readonly url: string;
  readonly client: pg.Client;
}

const finishAll = `UPDATE deliveries SET state = 'delivered', claim = NULL, claimed_at = NULL, finished_at = now()
  WHERE state = 'sending'`;

async function claimedBy(outbox: Outbox, limit: number, perOrganization = 4): Promise<readonly number[]> {
  const claimed = await outbox.claim({ limit, perOrganization, claim: 'a claim', at });
  return claimed.map(({ organizationId }) => organizationId);
}

/** Claims until `count` are claimed, or long enough for a scan of all organizations. Returns the number claimed. */
async function claimedInTime(outbox: Outbox, count: number): Promise<number> {
  let claimed = 0;
  for (const end = performance.now() + 20_000; claimed < count && performance.now() < end; ) {
    claimed += (await claimedBy(outbox, 100)).length;
    if (claimed < count) await pause(50);
  }
  return claimed;
}

describe('Claims on PostgreSQL', () => {
  test(
    'read no more pages while an old snapshot is open, even after many deliveries',
    { timeout: 240_000 },
    () =>
      withWaiting({ organizations: 5, events: 4000 }, async ({ database, url, client }) => {
        const reader = new pg.Client({ connectionString: url });
        await reader.connect();
        try {
          await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
          await reader.query('SELECT count(*) FROM organizations');
          const { database: counted, take } = countBuffers(database);
          const { outbox } = sqlPorts(counted);
          const pages: number[] = [];
          for (let round = 0; round < 30; round += 1) {
            assert.equal((await claimedBy(outbox, 100, 100)).length, 100);
            pages.push(take());
            await client.query(finishAll);
          }
          const [first = 0, last = 0] = [Math.max(...pages.slice(1, 6)), Math.max(...pages.slice(-5))];
          assert.ok(last < 3 * first, `pages of each claim: ${pages.join(' ')}`);
        } finally {
          await reader.end();
        }
      }),
  );

  test(`read few pages when ${ORGANIZATIONS} organizations wait`, { timeout: 240_000 }, async () => {
    const pages = await claimPages(ORGANIZATIONS);
    assert.ok(!readsTooMuch(pages), JSON.stringify(pages));
  });

  test(
    'of four instances with five callers each never overlap, and respect the limit of an organization',
    {
      timeout: 240_000,
    },
    () =>
      withWaiting({ organizations: 50, events: 1000 }, async ({ database, url, client }) => {
        const others = await Promise.all([openDatabase(url), openDatabase(url), openDatabase(url)]);
        try {
          const outboxes = [database, ...others].map((one) => sqlPorts(one).outbox);
          const underWay = async (): Promise<readonly string[]> => {
            const { rows } = await client.query(
              `SELECT count(*) AS count FROM deliveries WHERE state = 'sending' GROUP BY organization_id`,
            );
            return rows.map(({ count }) => count);
          };
          const ids: number[] = [];
          for (let round = 0; round < 5; round += 1) {
            for (let tries = 0; tries < 50; tries += 1) {
              const claims = await Promise.all(
                Array.from({ length: 20 }, (_, index) =>
                  outboxes[index % 4]?.claim({ limit: 7, perOrganization: 4, claim: `claim ${index}`, at }),
                ),
              );
              ids.push(...claims.flatMap((claimed) => (claimed ?? []).map(({ deliveryId }) => deliveryId)));
              const counts = await underWay();
              assert.ok(
                counts.every((count) => Number(count) <= 4),
                `under way: ${counts.join(' ')}`,
              );
              if (ids.length === 200 * (round + 1)) break;
              await pause(50);
            }
            assert.equal(ids.length, 200 * (round + 1));
            await client.query(finishAll);
          }
          assert.equal(new Set(ids).size, 1000);
        } finally {
          await Promise.all(others.map((one) => one.close()));
        }
      }),
  );

  test('find within seconds what others commit late, redeliver or recover', { timeout: 240_000 }, () =>
    withWaiting({ organizations: 3, events: 0 }, async ({ database, url, client }) => {
      const { outbox } = sqlPorts(database);
      const insert = (id: number, organizationId: number) =>
        `INSERT INTO deliveries (id, organization_id, event_id, event_name, body, created_at)
        VALUES (${id}, ${organizationId}, gen_random_uuid(), '${eventName}', '{}', now())`;
      const slow = new pg.Client({ connectionString: url });
      await slow.connect();
      try {
        await slow.query('BEGIN');
        await slow.query(insert(100, 1));
        await client.query(insert(101, 1));
        assert.equal(await claimedInTime(outbox, 1), 1);
        await slow.query('COMMIT');
        assert.equal(await claimedInTime(outbox, 1), 1, 'committed after a later event was claimed');
      } finally {
        await slow.end();
      }
      await client.query(finishAll);
      const other = sqlPorts(database);
      await other.deliveries.redeliver({ organizationId: 1, deliveryId: 100 });
      assert.equal(await claimedInTime(outbox, 1), 1, 'redelivered by another instance');
      assert.deepEqual(await other.outbox.recoverStale({ olderThanMs: null, maxClaims: 3, at }), {
        again: 1,
        failed: 0,
      });
      assert.equal(await claimedInTime(outbox, 1), 1, 'recovered by another instance');
    }),
  );

  test('are recovered by their age on the database’s clock, not the caller’s', () =>
    withWaiting({ organizations: 1, events: 2 }, async ({ database, client }) => {
      const { outbox } = sqlPorts(database);
      assert.equal((await claimedBy(outbox, 2)).length, 2);
      const age = (seconds: number) =>
        client.query(`UPDATE deliveries SET claimed_at = clock_timestamp() - interval '${seconds} s'
          WHERE id = (SELECT min(id) FROM deliveries WHERE state = 'sending')`);
      const request = { olderThanMs: 60_000, maxClaims: 3 };
      await age(40);
      for (const seconds of [-300, 0, 300, 100_000]) {
        const own = new Date(Date.now() + seconds * 1000);
        assert.deepEqual(await outbox.recoverStale({ ...request, at: own }), { again: 0, failed: 0 });
      }
      await age(61);
      const slow = new Date(Date.now() - 300_000);
      assert.deepEqual(await outbox.recoverStale({ ...request, at: slow }), { again: 1, failed: 0 });
    }));

  test('are renewed by the database’s clock, and each is renewed or recovered, never both', () =>
    withWaiting({ organizations: 1, events: 20 }, async ({ database, url, client }) => {
      const other = await openDatabase(url);
      try {
        const { outbox } = sqlPorts(database);
        const claimed = await outbox.claim({ limit: 20, perOrganization: 20, claim: 'a claim', at });
        assert.equal(claimed.length, 20);
        await client.query(`UPDATE deliveries SET claimed_at = clock_timestamp() - interval '61 s'`);
        const request = { olderThanMs: 60_000, maxClaims: 3, at };
        const [recovered, ...renewed] = await Promise.all([
          pause(2).then(() => sqlPorts(other).outbox.recoverStale(request)),
          ...claimed.map(({ deliveryId, claim }) => outbox.renew({ deliveryId, claim, at: new Date(0) })),
        ]);
        const kept = renewed.filter((isHeld) => isHeld).length;
        assert.deepEqual(recovered, { again: 20 - kept, failed: 0 });
        const { rows } = await client.query(
          `SELECT count(*)::int AS young FROM deliveries
          WHERE state = 'sending' AND claimed_at > clock_timestamp() - interval '20 s'`,
        );
        assert.deepEqual(rows, [{ young: kept }]);
        assert.deepEqual(await outbox.recoverStale(request), { again: 0, failed: 0 });
      } finally {
        await other.close();
      }
    }));
});

for (const [engine, start] of Object.entries({
  sqlite: startEmptySqliteDatabase,
  postgres: startEmptyPostgresDatabase,
})) {
  describe(`Fairness between organizations over ${engine}`, () => {
    /** Adds the given number of events for each organization, whose IDs start at 1. */
    const withQueues = async (queues: readonly number[], work: (outbox: Outbox) => Promise<void>) => {
      const { database, stop } = await start();
      try {
        await database.write(async (sql) => {
          for (const [index, events] of queues.entries()) {
            const id = index + 1;
            await sql.run('INSERT INTO organizations (id, name, eap) VALUES (?, ?, ?)', [id, 'Name', false]);
            for (let event = 0; event < events; event += 1)
              await sql.run(
                `INSERT INTO deliveries (organization_id, event_id, event_name, body, created_at)
                VALUES (?, ?, '${eventName}', '{}', ?)`,
                [id, testUuid(1_000 * id + event), at],
              );
          }
        });
        await work(sqlPorts(database).outbox);
      } finally {
        await stop();
      }
    };

    test('the oldest event of every organization comes before the second of any', () =>
      withQueues([20, 2, 2], async (outbox) => {
        assert.deepEqual([...(await claimedBy(outbox, 3))].sort(), [1, 2, 3]);
        assert.deepEqual([...(await claimedBy(outbox, 4))].sort(), [1, 1, 2, 3]);
      }));

    test('every organization gets its turn, even with few free slots and short deliveries', () =>
      withQueues([20, 20, 20, 20], async (outbox) => {
        const claimedFrom: number[] = [];
        for (let round = 0; round < 15; round += 1) {
          const request = { limit: 1, perOrganization: 4, claim: 'a claim', at };
          const [claimed = assert.fail('nothing was claimed')] = await outbox.claim(request);
          claimedFrom.push(claimed.organizationId);
          const { deliveryId, claim } = claimed;
          assert.ok(await outbox.finish({ deliveryId, claim, state: 'skipped', attempt: null, at }));
        }
        const counts = [1, 2, 3, 4].map(
          (id) => claimedFrom.filter((organizationId) => organizationId === id).length,
        );
        assert.ok(Math.min(...counts) >= 2, claimedFrom.join(' '));
      }));
  });
}

describe('Claims on SQLite', () => {
  const withWaitingOrganizations = async (work: (database: Database) => Promise<void>): Promise<void> => {
    const { database, stop } = await startEmptySqliteDatabase();
    try {
      await database.write(async (sql) => {
        const numbers = `WITH RECURSIVE numbers (n) AS (
          SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${ORGANIZATIONS}
        )`;
        await sql.run(
          `${numbers} INSERT INTO organizations (id, name, eap) SELECT n, 'Organization', 0 FROM numbers`,
        );
        await sql.run(
          `${numbers} INSERT INTO deliveries (organization_id, event_id, event_name, body, created_at)
          SELECT n, printf('%08x-0004-4000-8000-%012x', n, n), '${eventName}', '{}', ? FROM numbers`,
          [at],
        );
      });
      await work(database);
    } finally {
      await stop();
    }
  };

  test(`do not block the event loop when ${ORGANIZATIONS} organizations wait`, { timeout: 240_000 }, () =>
    withWaitingOrganizations(async (database) => {
      // The first claim compiles the statements and functions, so it is not measured.
      const claimed = [...(await claimedBy(sqlPorts(database).outbox, 8))];
      const { outbox } = sqlPorts(database);
      const cpuTime = measureCpuStretches();
      for (let round = 0; round < 50; round += 1) {
        claimed.push(...(await claimedBy(outbox, 8)));
        await nextTurn();
      }
      const stretchMs = cpuTime.stop();
      assert.equal(new Set(claimed).size, 408);
      assert.ok(stretchMs < 25, `${stretchMs} ms of CPU at a stretch`);
    }),
  );

  test(
    `read few of ${ORGANIZATIONS} organizations at a time, by an index on the organization`,
    {
      timeout: 240_000,
    },
    () =>
      withWaitingOrganizations(async (database) => {
        const statements = new Map<string, readonly SqlValue[]>();
        let maxRows = 0;
        const counted = (sql: Sql): Sql => ({
          ...sql,
          run: (text, values) => sql.run(text, values),
          get: (text, values) => sql.get(text, values),
          async all<Row>(text: string, values: readonly SqlValue[] = []) {
            statements.set(text, values);
            const rows = await sql.all<Row>(text, values);
            maxRows = Math.max(maxRows, rows.length);
            return rows;
          },
        });
        const { read, write } = database;
        const { outbox } = sqlPorts({
          ...database,
          read: counted(read),
          write: (work) => write((sql) => work(counted(sql))),
        });
        for (let round = 0; round < 10; round += 1) assert.equal((await claimedBy(outbox, 100)).length, 64);
        assert.ok(maxRows >= 64 && maxRows <= 100, `${maxRows} rows of one statement`);
        for (const [text, values] of statements) {
          const steps = await read.all<{ readonly detail: string }>(`EXPLAIN QUERY PLAN ${text}`, values);
          const wrong = steps
            .map(({ detail }) => detail)
            .filter((detail) => /\bdeliveries\b/.test(detail))
            .filter((detail) => !/INDEX \w+ \(organization_id[=>]|PRIMARY KEY \(rowid=\?\)/.test(detail));
          assert.deepEqual(wrong, [], text);
        }
      }),
  );
});

/**
 * Measures the CPU time between turns of the event loop, and returns the third longest in milliseconds. The longest
 * ones can be garbage collections and WAL checkpoints, which are rare. The time of a claim itself occurs in each round.
 */
function measureCpuStretches(): { stop(): number } {
  const stretches: number[] = [];
  let before = process.cpuUsage();
  let isStopped = false;
  const turn = (): void => {
    const { user, system } = process.cpuUsage(before);
    stretches.push((user + system) / 1000);
    before = process.cpuUsage();
    if (!isStopped) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    stop() {
      isStopped = true;
      return stretches.sort((one, other) => other - one)[2] ?? 0;
    },
  };
}
