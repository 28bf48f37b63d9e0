import { after } from 'node:test';
import type pg from 'pg';
import { type Database, openDatabase, type Sql } from '#adapters/sql/index.js';
import { type KeptLoader, openLoader, withLoader } from './kept-loader.js';
import { type OpenedDatabase, openedDatabase } from './opened-database.js';
import { startPostgresServer } from './postgres-server.js';
import { clientAt, createTemplate, runOnServer, type Server, serverAt } from './postgres-template.js';
import { askForPostgres } from './run/postgres-on-demand.js';

/** The server of this file, with the migrated database that its databases are copied from. */
interface TestServer extends Server {
  readonly template: string;
  removeTemplate(): Promise<void>;
}

let started: Promise<TestServer> | null = null;
let count = 0;

/** Whether the server of this file has been removed, with all its databases. */
let isRemoved = false;
let ended: Promise<void> | null = null;

after(endPostgres);

/** Removes the server, or what this file has created on it. In test files it runs as a hook; programs must call it. */
export function endPostgres(): Promise<void> {
  ended ??= end();
  return ended;
}

async function end(): Promise<void> {
  for (let empty = takeUnused(); empty !== undefined; empty = takeUnused()) await close(empty);
  const server = await started?.catch(() => null);
  if (server == null) return;
  try {
    await server.removeTemplate();
  } finally {
    isRemoved =
      process.env.TEST_POSTGRES_URL === undefined && process.env.TEST_POSTGRES_ON_DEMAND === undefined;
    await server.remove();
  }
}

/** Creates a migrated PostgreSQL database. The first call starts the server. */
export async function startPostgresDatabase(): Promise<OpenedDatabase> {
  const { url, stop } = await startPostgresUrl({ migrated: true });
  return openedDatabase(url, stop);
}

/** An empty database with its open connections, which later tests use too: opening them takes longer than most tests. */
interface EmptyDatabase {
  readonly url: string;
  readonly database: Database;
  readonly loader: KeptLoader | null;
  /** Empties the database. */
  readonly janitor: pg.Client;
}

/** Empty databases that no test uses, with the timers that close them. */
const unused = new Map<EmptyDatabase, NodeJS.Timeout>();
/** Empty databases without connections. */
const closed: string[] = [];

/** How long the connections of an unused database stay open. Until then the process does not end. */
const MAX_UNUSED_MS = 300;

/**
 * Returns a migrated, empty PostgreSQL database, which later tests of this process use again, because creating one takes
 * much longer. Only for tests that change rows, but not the schema, the roles or the settings.
 */
export async function startEmptyPostgresDatabase(): Promise<{
  readonly database: Database;
  stop(): Promise<void>;
}> {
  const empty = takeUnused() ?? (await openEmpty());
  const use = revocable(empty);
  return {
    database: use.database,
    async stop() {
      use.revoke();
      if (isRemoved || use.isClosed() || !(await isIdle(empty))) return discard(empty);
      await empty.janitor.query(`${EMPTY}; ${firstNumbers ?? ''}`);
      unused.set(
        empty,
        setTimeout(() => {
          unused.delete(empty);
          void close(empty).then(() => closed.push(empty.url));
        }, MAX_UNUSED_MS),
      );
    },
  };
}

function takeUnused(): EmptyDatabase | undefined {
  const [found] = unused;
  if (found === undefined) return undefined;
  const [empty, timer] = found;
  clearTimeout(timer);
  unused.delete(empty);
  return empty;
}

async function openEmpty(): Promise<EmptyDatabase> {
  const url = closed.pop() ?? (await startPostgresUrl({ migrated: true })).url;
  const database = await openDatabase(url);
  firstNumbers ??= await readFirstNumbers(database);
  const janitor = clientAt(url).on('error', () => undefined);
  await janitor.connect();
  return { url, database, janitor, loader: await openLoader(url) };
}

/** Closes its connections, ends those that remain, and empties it. */
async function discard(empty: EmptyDatabase): Promise<void> {
  await close(empty);
  if (isRemoved) return;
  await runOnServer(empty.url, `${END_SESSIONS}; ${EMPTY}; ${firstNumbers ?? ''}`);
  closed.push(empty.url);
}

async function close({ database, loader, janitor }: EmptyDatabase): Promise<void> {
  await database.close();
  await loader?.close();
  await janitor.end();
}

/** Whether nothing uses the database any more, so that the next test can have its connections. */
async function isIdle({ database, janitor }: EmptyDatabase): Promise<boolean> {
  if (database.poolStates().some(({ used, waiting }) => used > 0 || waiting > 0)) return false;
  const { rows } = await janitor.query(
    `SELECT FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND state IS DISTINCT FROM 'idle'`,
  );
  return rows.length === 0;
}

/** The database until it is revoked: work that a test has left running cannot reach the data of the next one. */
function revocable({ database, loader }: EmptyDatabase): {
  readonly database: Database;
  readonly isClosed: () => boolean;
  readonly revoke: () => void;
} {
  let isRevoked = false;
  let isClosed = false;
  const checked = <Method extends (...given: never[]) => unknown>(method: Method): Method =>
    ((...given: Parameters<Method>) => {
      if (isRevoked) throw new Error('the test of this database has ended');
      return method(...given);
    }) as Method;
  const checkedSql = ({ all, rows, get, run }: Sql): Sql => ({
    all: checked(all),
    rows: checked(rows),
    get: checked(get),
    run: checked(run),
  });
  const revocableDatabase: Database = {
    ...database,
    read: checkedSql(database.read),
    readAside: (organizationId) => checkedSql(database.readAside(organizationId)),
    write: checked(database.write),
    snapshot: checked(database.snapshot),
    bulk: checked(database.bulk),
    migrate: checked(database.migrate),
    async close() {
      isClosed = true;
      await database.close();
    },
  };
  return {
    database: loader === null ? revocableDatabase : withLoader(revocableDatabase, checked(loader.load)),
    isClosed: () => isClosed,
    revoke: () => {
      isRevoked = true;
    },
  };
}

/** The statement that resets every sequence to its start in a new database. Null until the first database exists. */
let firstNumbers: string | null = null;

async function readFirstNumbers({ read }: Database): Promise<string> {
  const sequences = await read.all<{ name: string }>(
    `SELECT format('%I.%I', schemaname, sequencename) AS name FROM pg_sequences WHERE schemaname = 'public'`,
  );
  const texts = sequences.map(({ name }) => `SELECT '${name}' AS name, last_value, is_called FROM ${name}`);
  const first = await read.all<{ name: string; last_value: number; is_called: boolean }>(
    texts.join(' UNION ALL '),
  );
  const resets = first.map(
    ({ name, last_value, is_called }) => `setval('${name}', ${last_value}, ${is_called})`,
  );
  return `SELECT ${resets.join(', ')}`;
}

/** Ends the remaining sessions of a test. */
const END_SESSIONS = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

/** Deleting this many rows of a table is faster than truncating it and the tables that refer to it. */
const MAX_DELETED_ROWS = 200;

/**
 * Empties all tables that are empty in a new database. A superuser can delete the rows in any order and without
 * triggers.
 */
const EMPTY = `
  DO $$
  DECLARE
    candidate text;
    filled text[] := '{}';
    count int;
    can_delete boolean := (SELECT rolsuper FROM pg_roles WHERE rolname = current_user);
  BEGIN
    FOR candidate IN
      SELECT format('%I.%I', schemaname, tablename) FROM pg_tables
      WHERE schemaname = 'public' AND tablename NOT LIKE 'rollcall%'
    LOOP
      EXECUTE 'SELECT count(*) FROM (SELECT FROM ' || candidate || ' LIMIT ${MAX_DELETED_ROWS + 1}) AS few' INTO count;
      IF count > 0 THEN filled := filled || candidate; END IF;
      IF count > ${MAX_DELETED_ROWS} THEN can_delete := false; END IF;
    END LOOP;
    IF cardinality(filled) = 0 THEN RETURN; END IF;
    IF can_delete THEN
      PERFORM set_config('session_replication_role', 'replica', true);
      FOREACH candidate IN ARRAY filled LOOP EXECUTE 'DELETE FROM ' || candidate; END LOOP;
    ELSE
      EXECUTE 'TRUNCATE ' || array_to_string(filled, ', ') || ' CASCADE';
    END IF;
  END $$`;

/** Creates a database, and returns its URL, through the pooler of `TEST_POSTGRES_POOLER_URL` if that is set. */
export async function startPostgresUrl({
  migrated,
  template: otherTemplate,
}: {
  readonly migrated: boolean;
  /** The name of another database to copy. */
  readonly template?: string;
}): Promise<{ readonly url: string; stop(): Promise<void> }> {
  started ??= startServer();
  const server = await started;
  count += 1;
  const name = `rollcall_${process.pid}_${count}`;
  const source = otherTemplate ?? (migrated ? server.template : 'template0');
  await runOnServer(server.url(), `CREATE DATABASE ${name} TEMPLATE ${source} STRATEGY FILE_COPY`);
  return {
    url: throughPooler(server.url(name)),
    async stop() {
      // The hooks of a file can run after the one that has removed the server.
      if (!isRemoved) await runOnServer(server.url(), `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** The server that the test run or the environment provides, or a new one for this file. */
async function startServer(): Promise<TestServer> {
  const existing = process.env.TEST_POSTGRES_URL;
  const onDemand = process.env.TEST_POSTGRES_ON_DEMAND;
  if (existing === undefined && onDemand !== undefined) {
    const { url, template } = await askForPostgres(onDemand);
    return { ...serverAt(url), template, removeTemplate: async () => {} };
  }
  const server = existing === undefined ? await startPostgresServer({ small: true }) : serverAt(existing);
  try {
    const { template, drop } = await createTemplate(server);
    // The template is removed together with a server of this file.
    const removeTemplate = existing === undefined ? async () => {} : drop;
    return { url: (name) => server.url(name), remove: () => server.remove(), template, removeTemplate };
  } catch (error) {
    await server.remove();
    throw error;
  }
}

/** The same database through the pooler of the test run, if there is one. */
function throughPooler(url: string): string {
  const given = process.env.TEST_POSTGRES_POOLER_URL;
  if (given === undefined) return url;
  const own = new URL(url);
  own.host = new URL(given).host;
  return own.href;
}
