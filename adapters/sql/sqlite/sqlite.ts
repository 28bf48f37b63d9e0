import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { Unavailable } from '@rollcall/core';
import {
  type Database,
  type DatabaseOptions,
  MAX_WAITING_EXPORTS,
  type PoolState,
} from '../engine/database.js';
import { Misconfigured } from '../engine/misconfigured.js';
import { openSnapshots } from '../engine/open-snapshots.js';
import { createPool, type Driver, withPool } from '../engine/pool.js';
import { pendingIn, recordsOn } from '../migrations/records.js';
import { bulkOn } from './bulk.js';
import { type Connection, type Role, setUp } from './connection.js';
import { sqliteDriver } from './driver.js';
import { isSqliteError, translateError } from './errors.js';
import { makeOwnFile } from './files.js';
import { groupedWrites } from './grouped-writes.js';
import { SqliteKnexClient } from './knex-client.js';
import { emptyLargeLog } from './large-log.js';
import { migrateSqlite } from './migrate.js';
import { newsBeside } from './news.js';
import { assertOwnFile, HAS_TABLE } from './own-file.js';
import { sqlOn } from './query.js';
import { sqlAside } from './read-aside.js';
import { asideReader } from './reader-thread-client.js';
import { retryWhileBusy } from './retry-while-busy.js';
import { openSnapshot } from './snapshot.js';

/**
 * Opens the file. Creates it and its folder if they do not exist, with access for their owner only. Throws
 * `Unavailable` when that fails or another application has the file, and `SqliteDriverMissing` when there is no driver.
 */
export async function openSqlite(path: string, input: DatabaseOptions): Promise<Database> {
  sqliteDriver();
  makeFolder(path);
  makeOwnFile(path);
  const options = { exports: 8, timeoutMs: 5_000, stallTimeoutMs: 60_000, ...input };
  const { timeoutMs } = options;
  const pool = (role: Role, max: number, maxWaiting = Number.POSITIVE_INFINITY) =>
    createPool(driver(path, role), { max, timeoutMs, maxWaiting });
  const writers = pool('writer', 1);
  const readers = pool('reader', 1);
  const writes = groupedWrites(writers, timeoutMs);
  const exporters = pool('exporter', options.exports, MAX_WAITING_EXPORTS);
  const snapshots = openSnapshots(timeoutMs);
  const aside = asideReader({ path, timeoutMs });

  // The writer comes first: it creates the file and sets WAL mode.
  await writers.lend(async () => {});
  // SQLite reads within the call, so that one connection is enough for all short reads.
  const reader = await readers.acquire();
  const read = sqlOn(() => reader, timeoutMs);
  // A command serves no requests, and ends sooner without more threads.
  const readAside = input.serves === false ? () => read : (of: number) => sqlAside(aside, { of, timeoutMs });

  const pendingMigrations = () => pendingIn(recordsOn(read, HAS_TABLE));

  return {
    engine: 'sqlite',
    read,
    readAside,
    write: (work) => writes.add(work),
    writeProblem: async () => null,
    snapshot: (request = {}) =>
      snapshots.add(request, () => openSnapshot(exporters, { ...options, aside }, request)),
    bulk: (work) =>
      withPool(pool('loader', 1), (loaders) =>
        loaders.lend((connection) =>
          work(bulkOn(connection, timeoutMs)).finally(() => emptyLargeLog(connection, path)),
        ),
      ),
    // Otherwise a start would wait for the lock that writers take.
    migrate: async (options) => ((await pendingMigrations()).length === 0 ? [] : writers.migrate(options)),
    pendingMigrations,
    missingRights: async () => [],
    news: newsBeside(path),
    poolStates: () => [
      withWaiting(writers.state('writer'), writes.waiting()),
      readers.state('reader'),
      exporters.state('exporter'),
    ],
    activity: async () => ({
      oldestTransactionSeconds: null,
      oldestSnapshotSeconds: snapshots.oldestSeconds(),
      oldestSnapshotTransactions: null,
    }),
    refusedSnapshots: () => snapshots.refused(),

    async close() {
      await snapshots.release();
      await aside.close();
      await writes.idle();
      await readers.release(reader);
      await Promise.all([readers.close(), exporters.close()]);
      // The last connection to close moves the write-ahead log into the file, which a reader cannot do.
      await writers.close();
    },
  };
}

function withWaiting(state: PoolState, waiting: number): PoolState {
  return { ...state, waiting: state.waiting + waiting };
}

function makeFolder(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new Unavailable('The folder of the database cannot be made.', { cause });
  }
}

function driver(path: string, role: Role): Driver<Connection> {
  return {
    engine: 'sqlite',
    knex: {
      client: SqliteKnexClient,
      useNullAsDefault: true,
      connection: { filename: path, options: { readonly: role === 'reader' || role === 'exporter' } },
    },
    async setUp(connection) {
      // Before WAL mode, which would change a file of another application.
      if (role === 'writer') await assertOwnFile(connection);
      setUp(connection, role);
    },
    obtain: (take, deadline) => retryWhileBusy(() => take().catch(refuseConnection), deadline),
    migrate: (knex) => migrateSqlite(knex),
    translateError,
  };
}

function refuseConnection(cause: unknown): never {
  if (isSqliteError(cause) || cause instanceof Misconfigured) throw cause;
  throw new Unavailable('The database has no free connection.', { cause });
}
