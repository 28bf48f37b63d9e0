import { after } from 'node:test';
import { type Database, openDatabase } from '#adapters/sql/index.js';
import { type EmptyDatabase, type KeptDatabase, keptDatabases } from './kept-databases.js';
import { openPostgresLoader } from './kept-loader.js';
import { type OpenedDatabase, openedDatabase } from './opened-database.js';
import { clientAt, runOnServer } from './postgres-client.js';
import { startPostgresServer } from './postgres-server.js';
import { createTemplate, type Server, serverAt } from './postgres-template.js';
import { askForPostgres } from './run/postgres-on-demand.js';

/** The server of this file, with the migrated database that its databases are copied from. */
interface TestServer extends Server {
  readonly template: string;
  removeTemplate(): Promise<unknown>;
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
  await emptyDatabases.closeUnused();
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

/** The server of this file or of the test run. It must not be stopped. */
export async function sharedPostgresServer(): Promise<Pick<Server, 'url'>> {
  started ??= startServer();
  return started;
}

/** Creates a migrated PostgreSQL database. The first call starts the server. */
export async function startPostgresDatabase(): Promise<OpenedDatabase> {
  const { url, stop } = await startPostgresUrl({ migrated: true });
  return openedDatabase(url, stop);
}

/** Empty databases without connections. */
const closed: string[] = [];

const emptyDatabases = keptDatabases(openEmpty);

/** Lends a migrated, empty PostgreSQL database: see `keptDatabases`. Creating one takes much longer. */
export function startEmptyPostgresDatabase(): Promise<EmptyDatabase> {
  return emptyDatabases.start();
}

async function openEmpty(): Promise<KeptDatabase> {
  const url = closed.pop() ?? (await startPostgresUrl({ migrated: true })).url;
  const database = await openDatabase(url);
  firstNumbers ??= await readFirstNumbers(database);
  const janitor = clientAt(url);
  await janitor.connect();
  const loader = await openPostgresLoader(url);
  const close = async (): Promise<void> => {
    await database.close();
    await loader?.close();
    await janitor.end();
  };
  return {
    database,
    loader,
    async isIdle() {
      if (isRemoved) return false;
      if (database.poolStates().some(({ used, waiting }) => used > 0 || waiting > 0)) return false;
      const { rows } = await janitor.query(
        `SELECT FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND state IS DISTINCT FROM 'idle'`,
      );
      return rows.length === 0;
    },
    async empty() {
      await janitor.query(`${EMPTY}; ${firstNumbers ?? ''}`);
    },
    async close() {
      await close();
      closed.push(url);
    },
    async discard() {
      await close();
      if (isRemoved) return;
      await runOnServer(url, `${END_SESSIONS}; ${EMPTY}; ${firstNumbers ?? ''}`);
      closed.push(url);
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
