import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { Knex } from 'knex';
import pg, { type Client } from 'pg';
import { createPool, type Driver, type Pool } from '#adapters/sql/engine/pool.js';
import { retireConnection } from '#adapters/sql/engine/retired-connections.js';
import { PostgresKnexClient } from '#adapters/sql/postgres/knex-client.js';
import type { Connection } from '#adapters/sql/sqlite/connection.js';
import { SqliteKnexClient } from '#adapters/sql/sqlite/knex-client.js';
import { startPostgresUrl } from '../../support/postgres.js';

type Settings = Driver<object>['knex'];

/** Knex has no types for the classes that ours extend. */
const asClient = (client: unknown): typeof Knex.Client => client as typeof Knex.Client;

/** A driver that only makes connections. */
function driver<C extends object>(engine: Driver<C>['engine'], knex: Settings): Driver<C> {
  const unused = (): never => assert.fail('not needed here');
  return {
    ...{ engine, knex },
    setUp() {},
    obtain: (take) => take(),
    ...{ inTransaction: unused, sqlOn: unused, migrate: unused, translateError: unused },
  };
}

const options = { max: 1, timeoutMs: 5_000, maxWaiting: 10 };

/** Changes a connection, releases it, and returns whether the pool replaces it. */
async function isReplaced<C extends object>(
  pool: Pool<C>,
  change: (connection: C) => Promise<unknown> | unknown,
): Promise<boolean> {
  const first = await pool.acquire();
  await change(first);
  await pool.release(first);
  const next = await pool.acquire();
  await pool.release(next);
  return next !== first;
}

const folder = mkdtempSync(join(tmpdir(), 'rollcall-retired-'));
after(() => rmSync(folder, { recursive: true, force: true }));

describe('A retired connection', () => {
  for (const keepsReleased of [false, true]) {
    const kind = keepsReleased ? 'a pool that keeps released connections ready' : 'a pool';

    test(`of ${kind} for SQLite is replaced when a connection is next acquired`, async (t) => {
      const connection = { filename: join(folder, 'retired.db') };
      const pool = createPool<Connection>(
        driver('sqlite', { client: asClient(SqliteKnexClient), connection }),
        {
          ...options,
          keepsReleased,
        },
      );
      t.after(() => pool.close());
      assert.equal(await isReplaced(pool, () => {}), false);
      assert.equal(await isReplaced(pool, retireConnection), true);
      assert.equal(await isReplaced(pool, () => {}), false);
    });

    test(`of ${kind} for PostgreSQL is replaced when a connection is next acquired`, async () => {
      const { url, stop } = await startPostgresUrl({ migrated: false });
      const other = new pg.Client(url);
      const pool = createPool<Client>(
        driver('postgres', { client: asClient(PostgresKnexClient), connection: { connectionString: url } }),
        { ...options, keepsReleased },
      );
      const endedByServer = async (connection: Client): Promise<void> => {
        const { rows } = await connection.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
        const ended = new Promise((resolve) => connection.once('end', () => resolve(null)));
        await other.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
        await ended;
      };
      try {
        await other.connect();
        assert.equal(await isReplaced(pool, () => {}), false);
        assert.equal(await isReplaced(pool, retireConnection), true);
        assert.equal(await isReplaced(pool, () => {}), false);
        assert.equal(await isReplaced(pool, endedByServer), true, 'ended by the server');
      } finally {
        await pool.close();
        await other.end();
        await stop();
      }
    });
  }
});
