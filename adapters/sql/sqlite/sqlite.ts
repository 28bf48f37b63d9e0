import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '@rollcall/core';
import type { Knex } from 'knex';
import {
  type Bulk,
  type Database,
  type DatabaseOptions,
  MAX_WAITING_EXPORTS,
  type Snapshot,
  type Sql,
  type SqlValue,
  type WantedSnapshot,
} from '../engine/database.js';
import { insertMany } from '../engine/insert-many.js';
import { OpenSnapshots } from '../engine/open-snapshots.js';
import { type Driver, Pool, withPool } from '../engine/pool.js';
import { retireConnection } from '../engine/retired-connections.js';
import { migrationNames, migrationSource } from '../migrations/index.js';
import { type Connection, type Role, rawStatement, setUp, statement } from './connection.js';
import { sqliteDriver } from './driver.js';
import { fairWrites } from './fair-writes.js';
import { makeOwnFile } from './files.js';
import { SqliteKnexClient } from './knex-client.js';
import { type AsideReader, asideReader } from './reader-thread-client.js';

/** Says in the file's header whose it is: "Roll". */
const APPLICATION_ID = 0x526f6c6c;
const MIGRATION_TIMEOUT_MS = 60_000;
const FIRST_PAUSE = 5;
const LONGEST_PAUSE = 80;

/**
 * Opens the file, and makes it and its folder where there is none, for its user alone. Throws `Unavailable` when it
 * can't, and `SqliteDriverMissing`.
 */
export async function openSqlite(path: string, given: DatabaseOptions): Promise<Database> {
  sqliteDriver();
  makeFolder(path);
  makeOwnFile(path);
  const options = { exports: 8, timeoutMs: 5_000, stallTimeoutMs: 60_000, ...given };
  const { timeoutMs } = options;
  const pool = (role: Role, max: number, maxWaiting = Number.POSITIVE_INFINITY) =>
    new Pool(driver({ path, role, timeoutMs }), { max, timeoutMs, maxWaiting });
  const writers = pool('writer', 1);
  const readers = pool('reader', 1);
  const exporters = pool('exporter', options.exports, MAX_WAITING_EXPORTS);
  const snapshots = new OpenSnapshots(timeoutMs);
  const aside = asideReader({ path, timeoutMs });

  // The writer comes first: it makes the file and puts it into WAL mode.
  await writers.lend(async () => {});
  // SQLite's reads end within the call, so that one connection serves all short ones.
  const reader = await readers.acquire();
  const read = sqlOn(() => reader, timeoutMs);
  // A command keeps nobody waiting, and ends sooner without another thread.
  const readAside = given.serves === false ? () => read : (of: number) => sqlAside(aside, { of, timeoutMs });

  return {
    engine: 'sqlite',
    read,
    readAside,
    write: (work) => writers.write(work),
    snapshot: (wanted = {}) =>
      snapshots.add(wanted, () => openSnapshot(exporters, { ...options, aside, wanted })),
    bulk: (work) =>
      withPool(pool('loader', 1), (loaders) =>
        loaders.lend((connection) => work(bulkOn(connection, timeoutMs))),
      ),
    migrate: (options) => writers.migrate(options),
    pendingMigrations: () => pendingMigrations(read),
    poolStates: () => [writers.state('writer'), readers.state('reader'), exporters.state('exporter')],

    async close() {
      await snapshots.release();
      await aside.close();
      await readers.release(reader);
      await Promise.all([readers.close(), exporters.close()]);
      // The last to close moves what is in the log of changes into the file, which a reader can't.
      await writers.close();
    },
  };
}

function makeFolder(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new Unavailable('The folder of the database cannot be made.', { cause });
  }
}

interface Opening {
  readonly path: string;
  readonly role: Role;
  readonly timeoutMs: number;
}

function driver({ path, role, timeoutMs }: Opening): Driver<Connection> {
  const mayStart = fairWrites();
  return {
    engine: 'sqlite',
    knex: {
      client: SqliteKnexClient,
      useNullAsDefault: true,
      connection: { filename: path, options: { readonly: role === 'reader' || role === 'exporter' } },
    },
    setUp: (connection) => setUp(connection, role),
    obtain: (take, deadline) => retryWhileBusy(() => take().catch(refuseConnection), deadline),
    async inTransaction(connection, deadline, work) {
      await mayStart();
      return inTransaction(connection, 'BEGIN IMMEDIATE', deadline, work);
    },
    sqlOn: (use) => sqlOn(use, timeoutMs),
    migrate,
    translateError,
  };
}

/**
 * Everything in one transaction, also knex's own tables, under a lock that ends with it: a process which is killed
 * leaves neither half a schema nor a lock.
 */
async function migrate(knex: Knex): Promise<readonly string[]> {
  return knex.transaction(async (transaction) => {
    const deadline = performance.now() + MIGRATION_TIMEOUT_MS;
    // Setting the header's id takes the write lock before anything is read.
    await retryWhileBusy(() => transaction.raw(`PRAGMA application_id = ${APPLICATION_ID}`), deadline);
    const [, names] = await transaction.migrate.latest({
      migrationSource: migrationSource('sqlite'),
      // An older version of the program runs beside a newer one on the newer one's schema.
      disableMigrationsListValidation: true,
    });
    return names;
  });
}

function refuseConnection(cause: unknown): never {
  if (isSqliteError(cause)) throw cause;
  throw new Unavailable('The database has no free connection.', { cause });
}

/** `use` gives the connection, or throws where it may not be used any more. */
function sqlOn(use: () => Connection, timeoutMs: number): Sql {
  const on = <T>(step: (connection: Connection) => T): Promise<T> =>
    retryWhileBusy(() => step(use()), performance.now() + timeoutMs);
  return {
    all: <Row>(text: string, values: readonly SqlValue[] = []) =>
      on((connection) => statement(connection, text).all(encoded(values)) as Row[]),
    rows: <Row extends readonly unknown[]>(text: string, values: readonly SqlValue[] = []) =>
      on((connection) => rawStatement(connection, text).all(encoded(values)) as Row[]),
    get: <Row>(text: string, values: readonly SqlValue[] = []) =>
      on((connection) => statement(connection, text).all(encoded(values))[0] as Row | undefined),
    run: (text, values = []) => on((connection) => statement(connection, text).run(encoded(values))),
  };
}

interface Aside {
  /** The organization that asks. */
  readonly of: number;
  readonly timeoutMs: number;
  /** Null: each statement sees the moment in which it runs. */
  readonly snapshot?: number | null;
}

/** Statements that are run in another thread, and only read. */
function sqlAside(aside: AsideReader, { of, timeoutMs, snapshot = null }: Aside): Sql {
  const on = <Row>(form: 'all' | 'rows', text: string, values: readonly SqlValue[] = []) =>
    retryWhileBusy(
      () => aside.ask<Row>({ of, snapshot, form, text, values: encoded(values) }),
      performance.now() + timeoutMs,
    );
  return {
    all: <Row>(text: string, values?: readonly SqlValue[]) => on<Row>('all', text, values),
    rows: <Row extends readonly unknown[]>(text: string, values?: readonly SqlValue[]) =>
      on<Row>('rows', text, values),
    get: async <Row>(text: string, values?: readonly SqlValue[]) => (await on<Row>('all', text, values))[0],
    run: async () => {
      throw new Error('nothing is written beside the one writer');
    },
  };
}

async function inTransaction<T>(
  connection: Connection,
  begin: string,
  deadline: number,
  work: () => Promise<T>,
): Promise<T> {
  await retryWhileBusy(() => statement(connection, begin).run(), deadline);
  try {
    const result = await work();
    await retryWhileBusy(() => statement(connection, 'COMMIT').run(), deadline);
    return result;
  } catch (error) {
    rollBack(connection);
    throw error;
  }
}

/** After some errors SQLite has rolled back by itself. A connection that cannot roll back is not used again. */
function rollBack(connection: Connection): void {
  if (!connection.inTransaction) return;
  try {
    statement(connection, 'ROLLBACK').run();
  } catch {
    retireConnection(connection);
  }
}

async function openSnapshot(
  pool: Pool<Connection>,
  {
    timeoutMs,
    stallTimeoutMs,
    aside,
    wanted: { organizationId = 0, isHeavy = false },
  }: Pick<Required<DatabaseOptions>, 'timeoutMs' | 'stallTimeoutMs'> & {
    readonly aside: AsideReader;
    readonly wanted: WantedSnapshot;
  },
): Promise<Snapshot> {
  // Where another thread reads it is one place among all, and is not used.
  const connection = await pool.acquire();
  const snapshot = isHeavy ? aside.newSnapshot() : null;
  let released = false;
  const release = async () => {
    if (released) return;
    released = true;
    clearTimeout(idle);
    if (snapshot !== null) aside.endSnapshot(snapshot);
    rollBack(connection);
    await pool.release(connection);
  };
  const idle = setTimeout(release, stallTimeoutMs).unref();
  const use = () => {
    if (released) throw new Unavailable('The snapshot was released.');
    idle.refresh();
    if (snapshot === null && !connection.inTransaction) statement(connection, 'BEGIN').run();
    return connection;
  };
  if (snapshot === null) return { ...sqlOn(use, timeoutMs), release };
  const sql = sqlAside(aside, { of: organizationId, timeoutMs, snapshot });
  const inUse =
    <Asked extends readonly unknown[], T>(step: (...asked: Asked) => Promise<T>) =>
    async (...asked: Asked): Promise<T> => {
      use();
      const answer = await step(...asked);
      use();
      return answer;
    };
  return {
    all: inUse(sql.all),
    rows: inUse(sql.rows),
    get: inUse(sql.get),
    run: sql.run,
    release,
  } as Snapshot;
}

function bulkOn(connection: Connection, timeoutMs: number): Bulk {
  const inOne = <T>(begin: string, work: () => Promise<T>): Promise<T> =>
    inTransaction(connection, begin, performance.now() + timeoutMs, work);
  const sql = sqlOn(() => connection, timeoutMs);
  return {
    engine: 'sqlite',
    ...sql,
    temporary: (work) => inOne('BEGIN', work),
    read: (work) => inOne('BEGIN', work),
    write: (work) => inOne('BEGIN IMMEDIATE', work),
    load: (into, values) => insertMany(sql, into, values),
    // Others read what was there before, until this is committed.
    isAlone: async () => true,
  };
}

async function pendingMigrations(read: Sql): Promise<readonly string[]> {
  const table = await read.get(
    `SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'knex_migrations'`,
  );
  if (table === undefined) return migrationNames;
  const done = await read.all<{ name: string }>('SELECT name FROM knex_migrations');
  return migrationNames.filter((name) => !done.some((row) => row.name === name));
}

/** SQLite has neither booleans nor moments; most lists hold neither, and go on as they are. */
function encoded(values: readonly SqlValue[]): readonly unknown[] {
  return values.some((value) => typeof value === 'boolean' || value instanceof Date)
    ? values.map(encode)
    : values;
}

function encode(value: SqlValue): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return value instanceof Date ? value.toISOString() : value;
}

/** Waits for a lock from a timer: better-sqlite3's own waiting would stop everything else. */
async function retryWhileBusy<T>(step: () => T | Promise<T>, deadline: number): Promise<T> {
  for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    try {
      return await step();
    } catch (error) {
      if (!isBusy(error)) throw translateError(error);
      if (performance.now() + pause > deadline) {
        throw new Unavailable('The database is busy.', { cause: error });
      }
    }
    await sleep(pause);
  }
}

interface SqliteError extends Error {
  readonly code: string;
}

function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_');
}

function isBusy(error: unknown): boolean {
  return isSqliteError(error) && /^SQLITE_(BUSY|LOCKED)/.test(error.code);
}

/** Whether a statement broke a rule of the schema. */
export function isConstraintError(error: unknown): boolean {
  return isSqliteError(error) && error.code.startsWith('SQLITE_CONSTRAINT');
}

const AWAY: readonly (readonly [code: RegExp, message: string])[] = [
  [/^SQLITE_FULL/, 'The database has no space left.'],
  [/^SQLITE_IOERR/, 'The database cannot be read or written.'],
  [/^SQLITE_CANTOPEN/, 'The database cannot be opened.'],
  [/^SQLITE_READONLY/, 'The database cannot be written.'],
  [/^SQLITE_(BUSY|LOCKED)/, 'The database is busy.'],
];

/** What a passing trouble of the file is to the caller; its cause is for the log. */
export function translateError(error: unknown): unknown {
  if (!isSqliteError(error)) return error;
  const away = AWAY.find(([code]) => code.test(error.code));
  return away === undefined ? error : new Unavailable(away[1], { cause: error });
}
