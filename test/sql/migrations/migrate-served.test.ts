import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { migrationNames } from '#adapters/sql/migrations/index.js';
import {
  catalogOf,
  holdReadLock,
  type ServedDatabase,
  startServedDatabase,
  writeDeliveries,
} from '../../support/busy-database.js';
import { laterMigration, migrateLater } from '../../support/later-migration.js';
import { startPostgresUrl } from '../../support/postgres.js';
import { slowness } from '../../support/slowness.js';
import { eventually } from '../../support/wait.js';

const MAX_BLOCKED_MS = 500;
const READ_LOCK_MS = 2_000;
const later = laterMigration.name;

describe('Migrating a PostgreSQL database in use', { timeout: 240_000 }, () => {
  const migrationTest = (name: string, deliveries: number, work: (served: ServedDatabase) => Promise<void>) =>
    test(name, async (t) => {
      const served = await startServedDatabase(deliveries);
      t.after(() => served.stop());
      await work(served);
    });

  migrationTest(
    'no write waits long, even while a reader holds its lock for seconds, and each earlier row is changed once',
    20_000,
    async ({ url, connect }) => {
      const client = await connect();
      const locks = [
        await holdReadLock(await connect(), 'deliveries'),
        await holdReadLock(await connect(), 'organizations'),
      ];
      const { rows: newest } = await client.query('SELECT max(id) AS id FROM deliveries');
      const writing = writeDeliveries(await connect());
      const released = pause(READ_LOCK_MS).then(() => Promise.all(locks.map((lock) => lock.release())));
      const applied = await migrateLater(url);
      await released;
      const { writes, maxWaitMs, failed } = await writing.end();
      assert.deepEqual([applied, failed], [[later], []]);
      assert.ok(writes > 100, `${writes} writes`);
      assert.ok(maxWaitMs <= MAX_BLOCKED_MS * slowness(), `a write waited ${maxWaitMs} ms`);
      const missed = `SELECT id FROM deliveries WHERE note <> 'earlier' AND id <= $1`;
      assert.deepEqual((await client.query(missed, [newest[0].id])).rows, []);
    },
  );

  migrationTest('results in the schema of a new database', 0, async ({ url }) => {
    const fresh = await startPostgresUrl({ migrated: false });
    try {
      await migrateLater(url);
      assert.deepEqual(await migrateLater(fresh.url), [...migrationNames, later]);
      assert.deepEqual(await catalogOf(url), await catalogOf(fresh.url));
    } finally {
      await fresh.stop();
    }
  });

  migrationTest(
    'continues after a killed migration, and creates its unfinished index again',
    2_000,
    async ({ url, connect }) => {
      const watcher = await connect();
      // CREATE INDEX CONCURRENTLY waits for transactions with an older snapshot.
      const reader = await connect();
      await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM users');
      const child = startMigrating(url);
      const unfinished = 'SELECT 1 FROM pg_index WHERE NOT indisvalid';
      await eventually(async () => ((await watcher.query(unfinished)).rowCount ?? 0) > 0);
      child.kill('SIGKILL');
      await once(child, 'exit');
      await watcher.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'CREATE INDEX CONCURRENTLY%' AND pid <> pg_backend_pid()`,
      );
      await reader.query('COMMIT');
      assert.equal((await watcher.query(unfinished)).rowCount, 1, 'the index was left unfinished');

      assert.deepEqual(await migrateLater(url), [later]);
      assert.equal((await watcher.query(unfinished)).rowCount, 0);
      const { rows } = await watcher.query('SELECT name FROM rollcall_migrations ORDER BY name');
      assert.deepEqual(
        rows.map(({ name }) => name),
        [...migrationNames, later],
      );
    },
  );

  migrationTest(
    'waits until the server has finished the index of a killed migration, and does not create it twice',
    0,
    async ({ url, connect }) => {
      const watcher = await connect();
      const reader = await connect();
      await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM users');
      const child = startMigrating(url);
      const index = `SELECT indexrelid::int AS id, indisvalid FROM pg_index WHERE indexrelid = to_regclass('deliveries_by_note')`;
      await eventually(async () => ((await watcher.query(index)).rowCount ?? 0) > 0);
      const { rows: before } = await watcher.query(index);
      child.kill('SIGKILL');
      await once(child, 'exit');
      const migrating = migrateLater(url);
      await pause(1_000);
      await reader.query('COMMIT');
      assert.deepEqual(await migrating, [later]);
      const { rows: after } = await watcher.query(index);
      assert.deepEqual(after, [{ id: before[0]?.id, indisvalid: true }]);
    },
  );

  migrationTest('several instances that start at once run each migration once', 500, async ({ url }) => {
    const applied = await Promise.all([1, 2, 3, 4].map(() => migrateLater(url)));
    assert.deepEqual(applied.flat(), [later]);
  });

  migrationTest(
    'names the session that blocks it when it gives up, and continues in the next run',
    0,
    async ({ url, connect }) => {
      const reader = await connect();
      const { rows } = await reader
        .query(`SET application_name = 'a report'; SELECT pg_backend_pid() AS pid`)
        .then(
          // The result of the last statement.
          (results) => [results].flat().at(-1) as pg.QueryResult,
        );
      const lock = await holdReadLock(reader, 'organizations');
      await assert.rejects(migrateLater(url, { timeoutMs: 1_500 }), (error: Error) => {
        assert.equal(error.name, 'Unavailable');
        assert.match(
          error.message,
          new RegExp(
            `Migration ${later}, step 4 of 4, has waited 2 seconds for a lock that is held by process ${rows[0].pid} \\(a report, idle in transaction`,
          ),
        );
        return true;
      });
      await lock.release();
      assert.deepEqual(await migrateLater(url), [later]);
    },
  );
});

const program = fileURLToPath(new URL('../../support/later-migration.js', import.meta.url));

function startMigrating(url: string): ChildProcess {
  return spawn(process.execPath, [program, url], { env: { PATH: process.env.PATH }, stdio: 'ignore' });
}
