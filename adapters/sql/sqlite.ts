import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '@rollcall/core';
import type SqliteDatabase from 'better-sqlite3';
import {
  type Bulk,
  type Database,
  type DatabaseOptions,
  mostExportsWaiting,
  type Snapshot,
  type Sql,
  type SqlValue,
} from './database.js';
import { insertMany } from './insert-many.js';
import { migrationNames } from './migrations/index.js';
import { type Driver, OpenSnapshots, Pool, withPool } from './pool.js';
import { SqliteKnexClient, sqliteDriver } from './sqlite-driver.js';

type Connection = SqliteDatabase.Database;
type Statement = SqliteDatabase.Statement<unknown[], unknown>;
type Role = 'writer' | 'reader' | 'exporter' | 'loader';

/** Kept on every connection: many more than there are fixed texts, the rest being those of pages. */
const STATEMENTS = 200;
/** Says in the file's header whose it is: "Roll". */
const APPLICATION_ID = 0x526f6c6c;
const MIGRATION_PATIENCE = 60_000;
const FIRST_PAUSE = 5;
const LONGEST_PAUSE = 80;

const COMMON_PRAGMAS = ['busy_timeout = 0', 'foreign_keys = ON'];

/**
 * better-sqlite3 is built so that WAL means synchronous=NORMAL unless a connection says otherwise, although
 * the pragma reads FULL: without saying it a power cut could lose what was acknowledged.
 */
const WRITING_PRAGMAS = ['journal_mode = WAL', 'synchronous = FULL', 'journal_size_limit = 67108864'];
const READING_PRAGMAS = ['synchronous = FULL', 'query_only = ON', 'temp_store = MEMORY'];

const PRAGMAS: Record<Role, readonly string[]> = {
  writer: [...COMMON_PRAGMAS, ...WRITING_PRAGMAS, 'cache_size = -16384', 'temp_store = MEMORY'],
  reader: [...COMMON_PRAGMAS, ...READING_PRAGMAS, 'cache_size = -32768'],
  exporter: [...COMMON_PRAGMAS, ...READING_PRAGMAS, 'cache_size = -2048'],
  loader: [...COMMON_PRAGMAS, ...WRITING_PRAGMAS, 'cache_size = -65536', 'temp_store = FILE'],
};

/**
 * Opens the file, and makes it and its folder where there is none. Throws `Unavailable` when it can't, and
 * `SqliteDriverMissing`.
 */
export async function openSqlite(path: string, given: DatabaseOptions): Promise<Database> {
  sqliteDriver();
  makeFolder(path);
  const options = { exports: 8, patience: 5_000, idleExport: 60_000, ...given };
  const { patience } = options;
  const pool = (role: Role, max: number, mostWaiting = Number.POSITIVE_INFINITY) =>
    new Pool(driver({ path, role, patience }), { max, patience, mostWaiting });
  const writers = pool('writer', 1);
  const readers = pool('reader', 1);
  const exporters = pool('exporter', options.exports, mostExportsWaiting);
  const snapshots = new OpenSnapshots();

  // The writer comes first: it makes the file and puts it into WAL mode.
  await writers.lend(async () => {});
  // SQLite's reads end within the call, so that one connection serves all short ones.
  const reader = await readers.acquire();
  const read = sqlOn(() => reader, patience);

  return {
    engine: 'sqlite',
    read,
    write: (work) => writers.write(work),
    snapshot: async () => snapshots.add(await openSnapshot(exporters, options)),
    bulk: (work) =>
      withPool(pool('loader', 1), (loaders) =>
        loaders.lend((connection) => work(bulkOn(connection, patience))),
      ),
    migrate: () => writers.migrate(),
    pendingMigrations: () => pendingMigrations(read),
    poolStates: () => [writers.state('writer'), readers.state('reader'), exporters.state('exporter')],

    async close() {
      await snapshots.release();
      await readers.release(reader);
      await Promise.all([readers.close(), exporters.close()]);
      // The last to close moves what is in the log of changes into the file, which a reader can't.
      await writers.close();
    },
  };
}

function makeFolder(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
  } catch (cause) {
    throw new Unavailable('The folder of the database can not be made.', { cause });
  }
}

interface Opening {
  readonly path: string;
  readonly role: Role;
  readonly patience: number;
}

function driver({ path, role, patience }: Opening): Driver<Connection> {
  return {
    engine: 'sqlite',
    knex: {
      client: SqliteKnexClient,
      useNullAsDefault: true,
      connection: { filename: path, options: { readonly: role === 'reader' || role === 'exporter' } },
    },
    setUp: (connection) => setUp(connection, role),
    obtain: (take, until) => patiently(() => take().catch(refuseConnection), until),
    inTransaction: (connection, until, work) => inTransaction(connection, 'BEGIN IMMEDIATE', until, work),
    sqlOn: (use) => sqlOn(use, patience),
    // Setting the header's id takes the write lock before anything is read.
    async lockSchema(transaction) {
      const until = performance.now() + MIGRATION_PATIENCE;
      await patiently(() => transaction.raw(`PRAGMA application_id = ${APPLICATION_ID}`), until);
    },
    translated,
  };
}

function setUp(connection: Connection, role: Role): void {
  try {
    for (const pragma of PRAGMAS[role]) connection.pragma(pragma);
    connection.function('regexp', { deterministic: true, directOnly: true }, matches);
  } catch (error) {
    connection.close();
    throw error;
  }
}

const patterns = new Map<string, RegExp>();
/** More than the words of one search. */
const PATTERNS = 200;

/** What `text REGEXP pattern` is, which SQLite leaves to whoever opens the file. */
function matches(pattern: unknown, text: unknown): number {
  return compiled(String(pattern)).test(String(text)) ? 1 : 0;
}

function compiled(source: string): RegExp {
  const known = patterns.get(source);
  if (known !== undefined) return known;
  if (patterns.size >= PATTERNS) patterns.clear();
  const fresh = new RegExp(source, 'u');
  patterns.set(source, fresh);
  return fresh;
}

function refuseConnection(cause: unknown): never {
  if (isSqliteError(cause)) throw cause;
  throw new Unavailable('The database has no free connection.', { cause });
}

/** `use` gives the connection, or throws where it may not be used any more. */
function sqlOn(use: () => Connection, patience: number): Sql {
  const on = <T>(step: (connection: Connection) => T): Promise<T> =>
    patiently(() => step(use()), performance.now() + patience);
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

async function inTransaction<T>(
  connection: Connection,
  begin: string,
  until: number,
  work: () => Promise<T>,
): Promise<T> {
  await patiently(() => statement(connection, begin).run(), until);
  try {
    const result = await work();
    await patiently(() => statement(connection, 'COMMIT').run(), until);
    return result;
  } catch (error) {
    rollBack(connection);
    throw error;
  }
}

/** SQLite has rolled back by itself after some errors. A connection that can't is not used again. */
function rollBack(connection: Connection): void {
  if (!connection.inTransaction) return;
  try {
    statement(connection, 'ROLLBACK').run();
  } catch (error) {
    Object.assign(connection, { __knex__disposed: error });
  }
}

async function openSnapshot(
  pool: Pool<Connection>,
  { patience, idleExport }: Pick<Required<DatabaseOptions>, 'patience' | 'idleExport'>,
): Promise<Snapshot> {
  const connection = await pool.acquire();
  let released = false;
  const release = async () => {
    if (released) return;
    released = true;
    clearTimeout(idle);
    rollBack(connection);
    await pool.release(connection);
  };
  const idle = setTimeout(release, idleExport).unref();
  const use = () => {
    if (released) throw new Unavailable('The snapshot was given up.');
    idle.refresh();
    if (!connection.inTransaction) statement(connection, 'BEGIN').run();
    return connection;
  };
  return { ...sqlOn(use, patience), release };
}

function bulkOn(connection: Connection, patience: number): Bulk {
  const inOne = <T>(begin: string, work: () => Promise<T>): Promise<T> =>
    inTransaction(connection, begin, performance.now() + patience, work);
  const sql = sqlOn(() => connection, patience);
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

type Prepared = WeakMap<Connection, Map<string, Statement>>;

const statements: Prepared = new WeakMap();
/** Those whose rows are arrays. */
const rawStatements: Prepared = new WeakMap();

function statement(connection: Connection, text: string): Statement {
  return preparedIn(statements, connection, text) ?? keep(statements, connection, text);
}

function rawStatement(connection: Connection, text: string): Statement {
  return preparedIn(rawStatements, connection, text) ?? keep(rawStatements, connection, text).raw();
}

function preparedIn(kept: Prepared, connection: Connection, text: string): Statement | undefined {
  return kept.get(connection)?.get(text);
}

/** Prepared once a connection; the oldest makes room. */
function keep(kept: Prepared, connection: Connection, text: string): Statement {
  const prepared = kept.get(connection) ?? new Map<string, Statement>();
  const fresh = connection.prepare(text);
  const [oldest] = prepared.keys();
  if (prepared.size >= STATEMENTS && oldest !== undefined) prepared.delete(oldest);
  kept.set(connection, prepared.set(text, fresh));
  return fresh;
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
async function patiently<T>(step: () => T | Promise<T>, until: number): Promise<T> {
  for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    try {
      return await step();
    } catch (error) {
      if (!isBusy(error)) throw translated(error);
      if (performance.now() + pause > until) {
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
  [/^SQLITE_FULL/, 'The database has no room.'],
  [/^SQLITE_IOERR/, 'The database can not be read or written.'],
  [/^SQLITE_CANTOPEN/, 'The database can not be opened.'],
  [/^SQLITE_READONLY/, 'The database can not be written.'],
  [/^SQLITE_(BUSY|LOCKED)/, 'The database is busy.'],
];

/** What a passing trouble of the file is to the caller; its cause is for the log. */
export function translated(error: unknown): unknown {
  if (!isSqliteError(error)) return error;
  const away = AWAY.find(([code]) => code.test(error.code));
  return away === undefined ? error : new Unavailable(away[1], { cause: error });
}
