import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { Unavailable } from '@rollcall/core';
import type { Knex } from 'knex';
import pg, { type Client, type ClientConfig } from 'pg';
import {
  type Bulk,
  type Copy,
  type Database,
  type DatabaseOptions,
  mostExportsWaiting,
  type Snapshot,
  type Sql,
  type SqlValue,
} from '../engine/database.js';
import { waiting } from '../engine/deadline.js';
import { type Driver, OpenSnapshots, Pool, withPool } from '../engine/pool.js';
import { migrationNames } from '../migrations/index.js';
import { copyIn } from './copy-in.js';
import { type CopyOut, copyOut } from './copy-out.js';
import { migratePostgres } from './migrate.js';
import { type Answer, ask, type Prepared } from './prepared.js';
import { watchReplica } from './replica.js';
import { Turns } from './turns.js';

type Role = 'ordinary' | 'exporter' | 'loader';

interface Connection extends Client {
  /** Knex's own mark: a connection with it is not used again. */
  __knex__disposed?: unknown;
}

/** Prepared on a connection: many more than there are fixed texts. The server keeps them as long as the connection. */
const STATEMENTS = 200;
const TRANSLATIONS = 1000;
const CONNECTIONS = 10;
/** Exports that read at the same time: while one's bytes are looked at, those of another arrive. */
const READING = 2;
/** One has the right to migrate, one works, one looks who is in the way. */
const MIGRATING = 3;
/** So soon the primary serves in the place of a replica. */
const REPLICA_PATIENCE = 1_000;
/** What a statement gets at the least, however long its caller waited for a connection. */
const SHORTEST_PATIENCE = 400;
/** What the server knows the connections by: of those who serve others, and of a command. */
const SERVER = 'rollcall';
const COMMAND = 'rollcall command';

/** The server's own limits, for when this process can't say stop any more. */
const SERVER_TIMEOUTS: Record<Role, { readonly statement: number; readonly idleTransaction: number }> = {
  ordinary: { statement: 5_000, idleTransaction: 30_000 },
  exporter: { statement: 60_000, idleTransaction: 120_000 },
  // An import may wait for its file: not for ever, as what is removed meanwhile can't be cleaned away.
  loader: { statement: 0, idleTransaction: 900_000 },
};

/** Changes no schema. Throws `Unavailable` when the server can't be reached or refuses. */
export async function openPostgres(
  url: string,
  { replica: ofReplica, ...given }: DatabaseOptions,
): Promise<Database> {
  const options = { exports: 8, patience: 5_000, idleExport: 60_000, ...given };
  const { patience } = options;
  const server = await reachable(url, { patience, name: given.serves === false ? COMMAND : SERVER });
  const pool = (role: Role, max: number, mostWaiting = Number.POSITIVE_INFINITY) =>
    new Pool(driver({ server, role }), { max, patience, mostWaiting, keeps: role === 'ordinary' });
  const ordinary = pool('ordinary', CONNECTIONS);
  const exporters = pool('exporter', options.exports, mostExportsWaiting);
  const snapshots = new OpenSnapshots(patience);
  const turns = new Turns(READING);

  const once = <T>(step: (sql: Sql) => Promise<T>): Promise<T> =>
    ordinary.lend((connection, until) => {
      const control = untilThen(until);
      const sql = sqlOn(() => connection, control);
      if (!server.isPooled) return step(sql);
      return inTransaction(connection, { begin: 'BEGIN', patience: control }, () => step(sql));
    });
  const read: Sql = {
    all: (text, values) => once((sql) => sql.all(text, values)),
    rows: (text, values) => once((sql) => sql.rows(text, values)),
    get: (text, values) => once((sql) => sql.get(text, values)),
    run: (text, values) => once((sql) => sql.run(text, values)),
  };

  const replica =
    ofReplica &&
    (await watchReplica({
      ...ofReplica,
      primary: read,
      open: () => openPostgres(ofReplica.url, { ...options, patience: REPLICA_PATIENCE }),
    }));

  return {
    engine: 'postgres',
    ...(replica && { replica }),
    read,
    readAside: () => read,
    write: (work) => ordinary.write(work),
    snapshot: (wanted = {}) =>
      snapshots.add(
        wanted,
        async () => (await replica?.snapshot()) ?? (await openSnapshot(exporters, { ...options, turns })),
      ),
    bulk: (work) =>
      withPool(pool('loader', 1), (loaders) => loaders.lend((connection) => bulkOn(connection, work))),
    migrate: (options) => withPool(pool('loader', MIGRATING), (loaders) => loaders.migrate(options)),
    pendingMigrations: () => pendingMigrations(read),
    poolStates: () => [ordinary.state('ordinary'), exporters.state('exporter')],

    async close() {
      await snapshots.release();
      await replica?.close();
      await Promise.all([ordinary.close(), exporters.close()]);
    },
  };
}

// ── Connections ────────────────────────────────────────────────────────────────────────────────────────────

interface Server {
  /** What a connection could be made with. */
  readonly settings: ClientConfig;
  /** Whether a pooler stands between, which may lend us another connection for each transaction. */
  readonly isPooled: boolean;
}

/** What is tried for an `sslmode` that leaves it open, in the words of pg; the other modes are those of libpq. */
const attempts: Readonly<Record<string, readonly string[]>> = {
  prefer: ['no-verify', 'disable'],
  allow: ['disable', 'no-verify'],
};

/** `sslmode` as libpq reads it; without one, TLS where the server has it, as libpq does. */
function urlsOf(url: string): readonly string[] {
  const given = new URL(url);
  const mode = given.searchParams.get('sslmode') ?? 'prefer';
  const modes = isLocalSocket(given) ? ['disable'] : attempts[mode];
  if (modes === undefined) {
    given.searchParams.set('uselibpqcompat', 'true');
    return [given.href];
  }
  // Nobody is vouched for then.
  given.searchParams.delete('sslrootcert');
  return modes.map((tried) => {
    given.searchParams.set('sslmode', tried);
    return given.href;
  });
}

function isLocalSocket({ hostname, searchParams }: URL): boolean {
  return decodeURIComponent(hostname).startsWith('/') || searchParams.get('host')?.startsWith('/') === true;
}

async function reachable(
  url: string,
  { patience, name }: { readonly patience: number; readonly name: string },
): Promise<Server> {
  let trouble: unknown;
  for (const connectionString of urlsOf(url)) {
    try {
      return await tried({
        connectionString,
        application_name: name,
        // Shorter, so that nobody is told of a failure that began before they came.
        connectionTimeoutMillis: Math.ceil(0.8 * patience),
        keepAlive: true,
        types: { getTypeParser },
      });
    } catch (error) {
      trouble = error;
      if (!refusesSuch(error)) break;
    }
  }
  throw asUnavailable(trouble);
}

/** The server wants no connections with TLS, or only such. */
function refusesSuch(error: unknown): boolean {
  const message = error instanceof Error ? error.message : '';
  return message === 'The server does not support SSL connections' || codeOf(error) === '28000';
}

/** A server announces its own process when it is connected with; a pooler can't know which one will be lent. */
async function tried(settings: ClientConfig): Promise<Server> {
  const client: Client & { readonly processID?: number } = new pg.Client({
    ...settings,
    query_timeout: settings.connectionTimeoutMillis,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return { settings, isPooled: rows[0]?.pid !== client.processID };
  } finally {
    void client.end().catch(() => {});
  }
}

interface Opening {
  readonly server: Server;
  readonly role: Role;
}

function driver({ server, role }: Opening): Driver<Connection> {
  return {
    engine: 'postgres',
    knex: {
      client: 'pg',
      connection: async () => ({ ...server.settings }) as Knex.PgConnectionConfig,
      // None is kept for ever: after a restart of the server those that are left are thrown away when next asked for.
      pool: { idleTimeoutMillis: 30_000 },
    },
    async setUp(connection) {
      if (server.isPooled) pooled.set(connection, role);
      else await connection.query(settingsText(role, 'SET'));
    },
    async obtain(take) {
      try {
        return await take();
      } catch (error) {
        throw asUnavailable(error);
      }
    },
    inTransaction: (connection, until, work) =>
      inTransaction(connection, { begin: 'BEGIN', patience: untilThen(until) }, work),
    sqlOn: (use, until) => sqlOn(use, untilThen(until)),
    migrate: (knex, options) =>
      migratePostgres({
        ...options,
        ...{ knex, isPooled: server.isPooled },
        settings: server.isPooled ? settingsText(role, 'SET LOCAL') : 'SELECT 1',
      }),
    translated,
  };
}

/** Connections through a pooler, with their role: nothing may be left on them but what ends with the transaction. */
const pooled = new WeakMap<Connection, Role>();

/** Said on the connection and not when connecting: a pooler in between refuses what it does not know. */
function settingsText(role: Role, set: 'SET' | 'SET LOCAL'): string {
  const { statement, idleTransaction } = SERVER_TIMEOUTS[role];
  return [
    `${set} TimeZone = 'UTC'`,
    `${set} DateStyle = 'ISO'`,
    `${set} client_min_messages = 'warning'`,
    `${set} statement_timeout = ${statement}`,
    `${set} idle_in_transaction_session_timeout = ${idleTransaction}`,
  ].join('; ');
}

/** Ends it at once, also where nobody answers any more. */
function dispose(connection: Connection, reason: unknown): void {
  connection.__knex__disposed = reason;
  const { stream } = (connection as unknown as { readonly connection: { readonly stream: Socket } })
    .connection;
  stream.destroy();
}

// ── Statements ─────────────────────────────────────────────────────────────────────────────────────────────

/** How long the next statement may take, in milliseconds; 0: as long as it likes. */
type Patience = () => number;

const untilThen =
  (until: number): Patience =>
  () =>
    Math.max(until - performance.now(), SHORTEST_PATIENCE);

/** `use` gives the connection, or throws where it may not be used any more. */
function sqlOn(use: () => Connection, patience: Patience): Sql {
  const on = (text: string, values: readonly SqlValue[] = []): Promise<Answer> =>
    query(use(), { text, values, timeout: patience() });
  return {
    all: async <Row>(text: string, values?: readonly SqlValue[]) =>
      objects(await on(text, values)) as readonly Row[],
    rows: async <Row extends readonly unknown[]>(text: string, values?: readonly SqlValue[]) =>
      (await on(text, values)).rows as unknown as readonly Row[],
    get: async <Row>(text: string, values?: readonly SqlValue[]) =>
      objects(await on(text, values))[0] as Row | undefined,
    run: async (text, values) => ({ changes: changesOf((await on(text, values)).done) }),
  };
}

function objects({ rows, names }: Answer): readonly object[] {
  return rows.map((row) => {
    const object: Record<string, unknown> = {};
    for (let index = 0; index < names.length; index += 1) object[names[index] ?? ''] = row[index];
    return object;
  });
}

/** From `UPDATE 2`; what counts no rows has no number. */
function changesOf(done: string): number {
  return Number(/\d+$/.exec(done)?.[0] ?? 0);
}

interface Query {
  readonly text: string;
  readonly values?: readonly SqlValue[];
  readonly timeout: number;
}

async function query(connection: Connection, { text, values = [], timeout }: Query): Promise<Answer> {
  const asked = { ...statement(connection, text), values: values.map(encoded), timeout: Math.ceil(timeout) };
  try {
    const { name } = asked;
    if (name !== null) return await ask(connection, { ...asked, name }, getTypeParser);
    return await askOnce(connection, asked);
  } catch (error) {
    if (isLost(error)) dispose(connection, error);
    throw translated(error);
  }
}

/** By pg's own query: nothing is kept of it, and without values it may be several statements, of which the last answers. */
async function askOnce(
  connection: Connection,
  { text, values, timeout }: Omit<Prepared, 'name'>,
): Promise<Answer> {
  const request = { text, values: [...values], rowMode: 'array' as const, query_timeout: timeout };
  const results = await connection.query<unknown[]>(request);
  const { rows, fields, command, rowCount } = [results].flat().at(-1) ?? results;
  return { rows, names: fields.map(({ name }) => name), done: `${command} ${rowCount ?? ''}`.trim() };
}

interface Translation {
  readonly text: string;
  readonly name: string;
}

const translations = new Map<string, Translation>();

/**
 * `?` becomes `$1`, `$2` …: our texts hold it for nothing else. `CROSS JOIN … ON`, which keeps SQLite to the
 * order of its tables, is an ordinary join.
 */
export function translation(text: string): Translation {
  const found = translations.get(text);
  if (found !== undefined) return found;
  let number = 0;
  const translated = text.replaceAll('CROSS JOIN', 'JOIN').replaceAll('?', () => {
    number += 1;
    return `$${number}`;
  });
  const fresh = {
    text: translated,
    name: createHash('sha256').update(text).digest('base64url').slice(0, 22),
  };
  const [oldest] = translations.keys();
  if (translations.size >= TRANSLATIONS && oldest !== undefined) translations.delete(oldest);
  translations.set(text, fresh);
  return fresh;
}

const prepared = new WeakMap<Connection, Set<string>>();

/** The first texts of a connection are prepared under their name, the rest each time anew; all behind a pooler. */
function statement(
  connection: Connection,
  source: string,
): { readonly text: string; readonly name: string | null } {
  const { text, name } = translation(source);
  if (pooled.has(connection)) return { text, name: null };
  const names = prepared.get(connection) ?? new Set<string>();
  if (!names.has(name)) {
    if (names.size >= STATEMENTS) return { text, name: null };
    prepared.set(connection, names.add(name));
  }
  return { text, name };
}

const { INT8, TIMESTAMPTZ } = pg.types.builtins;

/** Values as the rows of both engines hold them: whole numbers as numbers, moments as ISO text with milliseconds. */
function getTypeParser(type: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (type === INT8) return wholeNumber;
  if (type === TIMESTAMPTZ) return formatTimestamp;
  return pg.types.getTypeParser(type, format as 'text');
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new Error(`the number ${text} can't be held exactly`);
  return number;
}

/** From `2026-11-20 18:00:00.5+00`, as the session prints it. */
export function formatTimestamp(text: string): string {
  const end = text.length - '+00'.length;
  if (text.charAt(10) !== ' ' || !text.endsWith('+00'))
    throw new Error(`the moment ${text} is not as it was asked for`);
  const fraction = end > 19 ? text.slice(20, Math.min(end, 23)).padEnd(3, '0') : '000';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`;
}

function encoded(value: SqlValue): string | Buffer | null {
  if (value === null) return null;
  if (value instanceof Date) return value.toISOString();
  return value instanceof Uint8Array ? Buffer.from(value) : String(value);
}

// ── Transactions ───────────────────────────────────────────────────────────────────────────────────────────

async function inTransaction<T>(
  connection: Connection,
  { begin, patience }: { readonly begin: string; readonly patience: Patience },
  work: () => Promise<T>,
): Promise<T> {
  await query(connection, { text: beginning(connection, begin), timeout: patience() });
  try {
    const result = await work();
    const { done } = await query(connection, { text: 'COMMIT', timeout: patience() });
    // The server answers so, and without an error, when a statement had failed.
    if (done !== 'COMMIT') throw new Error('a failed transaction was to be committed');
    return result;
  } catch (error) {
    await rollBack(connection);
    throw error;
  }
}

/** Behind a pooler the settings of a session are those of each transaction, said with its begin. */
function beginning(connection: Connection, begin: string): string {
  const role = pooled.get(connection);
  return role === undefined ? begin : `${begin}; ${settingsText(role, 'SET LOCAL')}`;
}

/** A connection that can't is not used again. */
async function rollBack(connection: Connection): Promise<void> {
  if (connection.__knex__disposed !== undefined) return;
  try {
    await query(connection, { text: 'ROLLBACK', timeout: SHORTEST_PATIENCE });
  } catch (error) {
    dispose(connection, error);
  }
}

const BEGIN_SNAPSHOT = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

async function openSnapshot(
  pool: Pool<Connection>,
  {
    patience,
    idleExport,
    turns,
  }: Pick<Required<DatabaseOptions>, 'patience' | 'idleExport'> & { readonly turns: Turns },
): Promise<Snapshot> {
  const connection = await waiting(patience, (until) => pool.acquire(until));
  let begun: Promise<unknown> | null = null;
  let underWay = 0;
  let copied: CopyOut | null = null;
  let released = false;
  const release = async () => {
    if (released) return;
    released = true;
    clearTimeout(idle);
    if (underWay > 0 || copied?.isOver() === false) dispose(connection, new Error('given up'));
    else if (begun !== null) await rollBack(connection);
    await pool.release(connection);
  };
  const idle = setTimeout(release, idleExport).unref();
  /** Until the first rows are there nobody has been told anything, and whoever asked has no more patience than else. */
  let hasBegun = false;
  let end = 0;
  const left: Patience = () => (hasBegun ? idleExport : untilThen(end)());
  const begin = () => {
    begun ??= query(connection, {
      text: beginning(connection, BEGIN_SNAPSHOT),
      timeout: left(),
    });
    return begun;
  };
  const sql = sqlOn(() => connection, left);
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    if (released) throw new Unavailable('The snapshot was given up.');
    idle.refresh();
    underWay += 1;
    try {
      return await waiting(idleExport, async (until) => {
        end = until;
        await begin();
        return work();
      });
    } catch (error) {
      throw released ? new Unavailable('The snapshot was given up.', { cause: error }) : error;
    } finally {
      underWay -= 1;
    }
  };
  const copy: Copy = async function* (text, values, encode) {
    try {
      // With one message: each more costs as long as the first rows.
      const begins = begun === null ? `${beginning(connection, BEGIN_SNAPSHOT)}; ` : '';
      begun ??= Promise.resolve();
      const statements = begins + copyStatements(text, values);
      const rows = await step(async () => copyOut(connection, statements, { encode, turns }));
      copied = rows;
      while (!rows.isOver()) {
        const piece = await step(() => inTime(connection, left(), rows.next()));
        hasBegun = true;
        if (rows.isOver()) await release();
        if (piece.length > 0) yield piece;
      }
    } finally {
      await release();
    }
  };
  return {
    copy,
    async all<Row>(text: string, values?: readonly SqlValue[]) {
      const rows = await step(() => sql.all<Row>(text, values));
      hasBegun = true;
      return rows;
    },
    rows: (text, values) => step(() => sql.rows(text, values)),
    get: (text, values) => step(() => sql.get(text, values)),
    run: (text, values) => step(() => sql.run(text, values)),
    release,
  };
}

/** Milliseconds: longer than the slowest reader is waited for, so that the server ends what nobody reads any more. */
const COPY_TIMEOUT_MS = 3_900_000;

/**
 * A reader may be slow, and what watches over it is `idleExport`. The planner, which is not told that the first row
 * matters more than the last one, might sort, and does not otherwise.
 */
const COPY_SETTINGS = [
  `statement_timeout = ${COPY_TIMEOUT_MS}`,
  'enable_sort = off',
  'enable_seqscan = off',
  'enable_bitmapscan = off',
];

/** Ends the connection where the work takes longer than so many milliseconds. */
async function inTime<T>(connection: Connection, timeout: number, work: Promise<T>): Promise<T> {
  const impatient = setTimeout(() => dispose(connection, new Error('too slow')), timeout);
  try {
    return await work;
  } catch (error) {
    if (isLost(error)) dispose(connection, error);
    throw translated(error);
  } finally {
    clearTimeout(impatient);
  }
}

/** COPY takes no parameters. */
function copyStatements(text: string, values: readonly SqlValue[]): string {
  const query = translation(text).text.replace(/\$(\d+)/g, (_, number) =>
    literal(values[Number(number) - 1] ?? null),
  );
  const settings = COPY_SETTINGS.map((setting) => `SET LOCAL ${setting}`);
  return [...settings, `COPY (${query}) TO STDOUT`].join('; ');
}

function literal(value: SqlValue): string {
  if (typeof value === 'string') return pg.escapeLiteral(value);
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString());
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return String(value);
  throw new Error('there is no literal for such a value');
}

const endless: Patience = () => 0;

const SNAPSHOT = 'ISOLATION LEVEL REPEATABLE READ';

function bulkOn<T>(connection: Connection, work: (bulk: Bulk) => Promise<T>): Promise<T> {
  const sql = sqlOn(() => connection, endless);
  const any = {
    engine: 'postgres' as const,
    ...sql,
    load: loadOn(connection),
    // A pooler lends one connection to many, under the name of whoever had it last.
    isAlone: async () => !pooled.has(connection) && (await sql.get(othersText, [COMMAND])) === undefined,
  };
  const inOne = <U>(begin: string, step: () => Promise<U>): Promise<U> =>
    inTransaction(connection, { begin, patience: endless }, step);
  const plain = <U>(step: () => Promise<U>): Promise<U> => inOne('BEGIN', step);
  if (!pooled.has(connection)) {
    const read: Bulk['read'] = (step) => inOne(`BEGIN ${SNAPSHOT} READ ONLY`, step);
    return work({ ...any, temporary: plain, read, write: plain });
  }
  const part = <U>(step: () => Promise<U>): Promise<U> => inSavepoint(connection, sql, step);
  return plain(async () => {
    const read: Bulk['read'] = async (step) => {
      await sql.run(`SET TRANSACTION ${SNAPSHOT}`);
      return step();
    };
    const result = await work({ ...any, temporary: part, read, write: part });
    // The connection goes to somebody else with all that is left on it.
    await sql.run('DISCARD TEMP');
    return result;
  });
}

/** Whoever is not a command, by whatever name: a URL can give the server another one. */
const othersText = `SELECT 1 FROM pg_stat_activity
  WHERE datname = current_database() AND usesysid IS NOT NULL AND application_name <> ? LIMIT 1`;

function loadOn(connection: Connection): Bulk['load'] {
  return async (into, values) => {
    try {
      await copyIn(connection, into, values);
    } catch (error) {
      if (isLost(error)) dispose(connection, error);
      throw translated(error);
    }
  };
}

/** As a transaction of its own, within one: what is checked at the end is checked here. */
async function inSavepoint<T>(connection: Connection, sql: Sql, work: () => Promise<T>): Promise<T> {
  await sql.run('SAVEPOINT part');
  try {
    const result = await work();
    await sql.run('SET CONSTRAINTS ALL IMMEDIATE');
    await sql.run('RELEASE SAVEPOINT part');
    return result;
  } catch (error) {
    if (connection.__knex__disposed === undefined) await sql.run('ROLLBACK TO SAVEPOINT part');
    throw error;
  }
}

async function pendingMigrations(read: Sql): Promise<readonly string[]> {
  const table = await read.get<{ found: string | null }>(
    `SELECT to_regclass('knex_migrations')::text AS found`,
  );
  if (table?.found == null) return migrationNames;
  const done = await read.all<{ name: string }>('SELECT name FROM knex_migrations');
  return migrationNames.filter((name) => !done.some((row) => row.name === name));
}

// ── Trouble ────────────────────────────────────────────────────────────────────────────────────────────────

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Whether a statement broke a rule of the schema. */
export function isPostgresConstraintError(error: unknown): boolean {
  return /^23\w{3}$/.test(codeOf(error));
}

/** Whether somebody else had a lock for longer than `lock_timeout`, or two waited for each other. */
export function isPostgresLockTimeout(error: unknown): boolean {
  const code = codeOf(error instanceof Unavailable ? error.cause : error);
  return code === '55P03' || code === '40P01';
}

const LOST_MESSAGES =
  /^(Connection terminated|Query read timeout|timeout expired|Client (was closed|has encountered))/;

/** The connection is of no use any more, or nobody knows what it is doing. */
function isLost(error: unknown): boolean {
  const code = codeOf(error);
  // A prepared text whose columns a migration has changed.
  if (/^(08\w{3}|57P0\d|25P03|0A000|E[A-Z]{3,})$/.test(code)) return true;
  return error instanceof Error && LOST_MESSAGES.test(error.message);
}

const AWAY: readonly (readonly [code: RegExp, message: string])[] = [
  [/^53100$/, 'The database has no room.'],
  [/^(53\w{3}|40001|40P01|55P03|57014)$/, 'The database is busy.'],
  [/^(28\w{3}|3D000|42501)$/, 'The database refuses the connection.'],
  [/^25006$/, 'The database can not be written.'],
  [/^(58\w{3}|XX\w{3})$/, 'The database can not be read or written.'],
];

/** Without a connection nothing else than waiting is left, whatever the reason. */
function asUnavailable(cause: unknown): Unavailable {
  const error = translated(cause);
  if (error instanceof Unavailable) return error;
  if (cause instanceof Error && cause.name === 'KnexTimeoutError')
    return new Unavailable('The database has no free connection.', { cause });
  return new Unavailable('The database can not be reached.', { cause });
}

/** What a passing trouble of the server is to the caller; its cause is for the log. */
function translated(error: unknown): unknown {
  const away = AWAY.find(([code]) => code.test(codeOf(error)));
  if (away !== undefined) return new Unavailable(away[1], { cause: error });
  return isLost(error) ? new Unavailable('The database can not be reached.', { cause: error }) : error;
}
