import { after } from 'node:test';
import { type Database, openDatabase } from '#adapters/sql/index.js';
import { startPostgresServer } from './postgres-server.js';
import { createTemplate, runOnServer, type Server, serverAt } from './postgres-template.js';
import { askForPostgres } from './run/postgres-on-demand.js';

/** A server for this file, and the migrated database on it that its databases are copies of. */
interface TestServer extends Server {
  readonly template: string;
  removeTemplate(): Promise<void>;
}

let started: Promise<TestServer> | null = null;
let count = 0;

/** Whether this file's own server is gone, with every database on it. */
let isGone = false;
let ended: Promise<void> | null = null;

after(endPostgres);

/** Removes the server, or what this file created on it. Programs call it; test files have it as a hook. */
export function endPostgres(): Promise<void> {
  ended ??= end();
  return ended;
}

async function end(): Promise<void> {
  const server = await started?.catch(() => null);
  if (server == null) return;
  try {
    await server.removeTemplate();
  } finally {
    isGone = process.env.TEST_POSTGRES_URL === undefined && process.env.TEST_POSTGRES_ON_DEMAND === undefined;
    await server.remove();
  }
}

/** A migrated PostgreSQL database of its own, on a server that starts with the first of them. */
export async function startPostgresDatabase(): Promise<{
  readonly database: Database;
  readonly url: string;
  stop(): Promise<void>;
}> {
  const { url, stop } = await startPostgresUrl({ migrated: true });
  const database = await openDatabase(url);
  return {
    database,
    url,
    async stop() {
      await database.close();
      await stop();
    },
  };
}

/** Databases that earlier tests of this file have left, and that are empty again. */
const emptied: { readonly url: string }[] = [];

/**
 * A migrated and empty PostgreSQL database, which the next test of this file gets again: emptying one takes a fraction
 * of the time of making one. For tests that change rows only: not the schema, the roles or the settings.
 */
export async function startEmptyPostgresDatabase(): Promise<{
  readonly database: Database;
  stop(): Promise<void>;
}> {
  const lent = emptied.pop() ?? (await startPostgresUrl({ migrated: true }));
  const database = await openDatabase(lent.url);
  firstNumbers ??= await readFirstNumbers(database);
  return {
    database,
    async stop() {
      await database.close();
      if (isGone) return;
      await runOnServer(lent.url, EMPTY);
      await runOnServer(lent.url, firstNumbers ?? '');
      emptied.push(lent);
    },
  };
}

/** The statement that lets every sequence begin as in a new database; null: no database has been made yet. */
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

/** Ends what a test has left running, and empties the tables that have rows and are empty in a new database. */
const EMPTY = `
  DO $$
  DECLARE
    candidate text;
    filled text[] := '{}';
    has_rows boolean;
  BEGIN
    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid();
    FOR candidate IN
      SELECT format('%I.%I', schemaname, tablename) FROM pg_tables
      WHERE schemaname = 'public' AND tablename NOT LIKE 'knex%'
    LOOP
      EXECUTE 'SELECT EXISTS (SELECT FROM ' || candidate || ')' INTO has_rows;
      IF has_rows THEN filled := filled || candidate; END IF;
    END LOOP;
    IF cardinality(filled) > 0 THEN
      EXECUTE 'TRUNCATE ' || array_to_string(filled, ', ') || ' CASCADE';
    END IF;
  END $$`;

/** The URL of a database of its own, by way of `TEST_POSTGRES_POOLER_URL` where the run was given one. */
export async function startPostgresUrl({
  migrated,
  template: copied,
}: {
  readonly migrated: boolean;
  /** The name of the database to copy, where it is another one. */
  readonly template?: string;
}): Promise<{ readonly url: string; stop(): Promise<void> }> {
  started ??= startServer();
  const server = await started;
  count += 1;
  const name = `rollcall_${process.pid}_${count}`;
  const source = copied ?? (migrated ? server.template : 'template0');
  await runOnServer(server.url(), `CREATE DATABASE ${name} TEMPLATE ${source} STRATEGY FILE_COPY`);
  return {
    url: throughPooler(server.url(name)),
    async stop() {
      // A file's own hooks may come after the one that has ended the server, and taken all of it away.
      if (!isGone) await runOnServer(server.url(), `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** The server that the run or the environment names, or one of this file's own. */
async function startServer(): Promise<TestServer> {
  const existing = process.env.TEST_POSTGRES_URL;
  const onDemand = process.env.TEST_POSTGRES_ON_DEMAND;
  if (existing === undefined && onDemand !== undefined) {
    const { url, template } = await askForPostgres(onDemand);
    return { ...serverAt(url), template, removeTemplate: async () => {} };
  }
  const server = existing === undefined ? await startPostgresServer() : serverAt(existing);
  try {
    const { template, drop } = await createTemplate(server);
    // A server of this file's own takes the template with it.
    const removeTemplate = existing === undefined ? async () => {} : drop;
    return { url: (name) => server.url(name), remove: () => server.remove(), template, removeTemplate };
  } catch (error) {
    await server.remove();
    throw error;
  }
}

/** The same database by way of the pooler that the run was given, if any. */
function throughPooler(url: string): string {
  const given = process.env.TEST_POSTGRES_POOLER_URL;
  if (given === undefined) return url;
  const own = new URL(url);
  own.host = new URL(given).host;
  return own.href;
}
