import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { type Database, openDatabase } from '#adapters/sql/index.js';
import { migrationNames } from '#adapters/sql/migrations/index.js';
import { rollcall } from '../../support/app-cli.js';
import { startPostgresDatabase } from '../../support/postgres.js';
import {
  catalogOf,
  type EarlierDatabase,
  holdReadLock,
  startEarlierDatabase,
  writeDeliveries,
} from '../../support/served-migration.js';

const MAX_BLOCKED_MS = 500;
const READ_LOCK_MS = 2_000;
/** The migration of release 0.1.0, and the last one before migrations had steps. */
const first = '0001-schema';
const last = '0006-tied-counts';

interface Migrated {
  readonly earlier: EarlierDatabase;
  readonly database: Database;
}

describe('Migrating a PostgreSQL database in use', { timeout: 240_000 }, () => {
  const migrationTest = (
    name: string,
    given: Parameters<typeof startEarlierDatabase>[0],
    work: (migrated: Migrated) => Promise<void>,
  ) =>
    test(name, async () => {
      const earlier = await startEarlierDatabase(given);
      const database = await openDatabase(earlier.url);
      try {
        await work({ earlier, database });
      } finally {
        await database.close();
        await earlier.stop();
      }
    });

  for (const from of [first, last]) {
    migrationTest(
      `from ${from}, no write waits long, even while a reader holds its lock for seconds`,
      { last: from, deliveries: 20_000 },
      async ({ earlier, database }) => {
        const readers = [await earlier.connect(), await earlier.connect()];
        const locks = [
          await holdReadLock(readers[0] as pg.Client, 'deliveries'),
          await holdReadLock(readers[1] as pg.Client, 'organizations'),
        ];
        const writing = writeDeliveries(await earlier.connect());
        const released = pause(READ_LOCK_MS).then(() => Promise.all(locks.map((lock) => lock.release())));
        const waits: string[] = [];
        const applied = await database.migrate({ onWait: (text) => waits.push(text) });
        await released;
        const { writes, maxWaitMs, failed } = await writing.end();
        assert.deepEqual(
          applied,
          migrationNames.filter((name) => name > from),
        );
        assert.deepEqual(failed, []);
        assert.ok(writes > 100, `${writes} writes`);
        assert.ok(maxWaitMs <= MAX_BLOCKED_MS, `a write waited ${maxWaitMs} ms`);
      },
    );
  }

  migrationTest('results in the schema of a new database', { last: first }, async ({ earlier, database }) => {
    await database.migrate();
    const fresh = await startPostgresDatabase();
    try {
      assert.deepEqual(await catalogOf(earlier.url), await catalogOf(fresh.url));
    } finally {
      await fresh.stop();
    }
  });

  migrationTest(
    'fills the health of webhooks and the counts of tied meetings like the migrations without steps',
    { last: first, deliveries: 2_000 },
    async ({ earlier, database }) => {
      const asReleased = await startEarlierDatabase({ last, deliveries: 2_000, fillAfter: first });
      try {
        await database.migrate();
        const contents = async ({ connect }: EarlierDatabase) => {
          const client = await connect();
          const { rows: health } = await client.query(
            'SELECT organization_id, failures, failing_since IS NULL AS is_healthy, delivered_at IS NULL AS is_new, noticed FROM webhooks ORDER BY 1',
          );
          const { rows: ties } = await client.query(
            'SELECT * FROM tied_meeting_counts WHERE meetings > 0 ORDER BY organization_id',
          );
          const { rows: tables } = await client.query(`SELECT to_regclass('rollcall_migrations') AS own`);
          const { rows: done } = await client.query(
            `SELECT name FROM ${tables[0].own ?? 'knex_migrations'} WHERE name <= $1`,
            [`${last}~`],
          );
          return { health, ties, done };
        };
        const found = await contents(earlier);
        assert.deepEqual(found, await contents(asReleased));
        assert.ok(found.ties.length > 5 && found.health.some(({ failures }) => failures > 0));
      } finally {
        await asReleased.stop();
      }
    },
  );

  migrationTest(
    'continues after a killed migration, and creates its unfinished index again',
    { last: first, deliveries: 2_000 },
    async ({ earlier, database }) => {
      const watcher = await earlier.connect();
      // CREATE INDEX CONCURRENTLY waits for transactions with an older snapshot.
      const reader = await earlier.connect();
      await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM users');
      const child = startMigrating(earlier.url);
      const unfinished = 'SELECT 1 FROM pg_index WHERE NOT indisvalid';
      await until(async () => ((await watcher.query(unfinished)).rowCount ?? 0) > 0);
      child.kill('SIGKILL');
      await once(child, 'exit');
      await watcher.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'CREATE INDEX CONCURRENTLY%' AND pid <> pg_backend_pid()`,
      );
      await reader.query('COMMIT');
      assert.equal((await watcher.query(unfinished)).rowCount, 1, 'the index was left unfinished');

      assert.deepEqual(await database.migrate(), migrationNames.slice(1));
      assert.equal((await watcher.query(unfinished)).rowCount, 0);
      const { rows } = await watcher.query('SELECT name FROM rollcall_migrations ORDER BY name');
      assert.deepEqual(
        rows.map(({ name }) => name),
        migrationNames,
      );
    },
  );

  migrationTest(
    'waits until the server has finished the index of a killed migration, and does not create it twice',
    { last: first },
    async ({ earlier, database }) => {
      const watcher = await earlier.connect();
      const reader = await earlier.connect();
      await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM users');
      const child = startMigrating(earlier.url);
      const index = `SELECT indexrelid::int AS id, indisvalid FROM pg_index WHERE indexrelid = to_regclass('invitations_by_time')`;
      await until(async () => ((await watcher.query(index)).rowCount ?? 0) > 0);
      const { rows: before } = await watcher.query(index);
      child.kill('SIGKILL');
      await once(child, 'exit');
      const migrating = database.migrate();
      await pause(1_000);
      await reader.query('COMMIT');
      assert.deepEqual(await migrating, migrationNames.slice(1));
      const { rows: after } = await watcher.query(index);
      assert.deepEqual(after, [{ id: before[0]?.id, indisvalid: true }]);
    },
  );

  migrationTest(
    'several instances that start at once run each migration once',
    { last: first, deliveries: 500 },
    async ({ earlier, database }) => {
      const others = await Promise.all([1, 2, 3].map(() => openDatabase(earlier.url)));
      try {
        const applied = await Promise.all([database, ...others].map((one) => one.migrate()));
        assert.deepEqual(applied.flat(), migrationNames.slice(1));
      } finally {
        await Promise.all(others.map((one) => one.close()));
      }
    },
  );

  migrationTest(
    'names the session that blocks it when it gives up, and continues in the next run',
    { last: first },
    async ({ earlier, database }) => {
      const reader = await earlier.connect();
      const { rows } = await reader
        .query(`SET application_name = 'a report'; SELECT pg_backend_pid() AS pid`)
        .then(
          // The result of the last statement.
          (results) => [results].flat().at(-1) as pg.QueryResult,
        );
      const lock = await holdReadLock(reader, 'deliveries');
      await assert.rejects(database.migrate({ timeoutMs: 1_500 }), (error: Error) => {
        assert.equal(error.name, 'Unavailable');
        assert.match(
          error.message,
          new RegExp(
            `Migration 0005-feeds, step 1 of 7, has waited 2 seconds for a lock that is held by process ${rows[0].pid} \\(a report, idle in transaction`,
          ),
        );
        return true;
      });
      await lock.release();
      assert.deepEqual(await database.migrate(), [
        '0005-feeds',
        ...migrationNames.filter((name) => name > '0005-feeds'),
      ]);
    },
  );
});

const MAX_WAIT_MS = 30_000;

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + MAX_WAIT_MS;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error('the condition was not met in time');
    await pause(10);
  }
}

function startMigrating(url: string): ChildProcess {
  const env = { PATH: process.env.PATH, DATABASE_URL: url, SECRET_KEY: 's'.repeat(32) };
  return spawn(process.execPath, [rollcall, 'migrate'], { env, stdio: 'ignore' });
}
