import { after } from 'node:test';
import pg from 'pg';
import { type Database, openDatabase } from '#adapters/sql/index.js';
import { type PostgresServer, startPostgresServer } from './postgres-server.js';

type Server = Pick<PostgresServer, 'url' | 'remove'>;

const LONGEST = 30_000;
const template = `rollcall_template_${process.pid}`;
let started: Promise<Server> | null = null;
let count = 0;

let isGone = false;
let ended: Promise<void> | null = null;

after(endPostgres);

/** Takes the server away, or what was made on it; for programs, whose hooks come when nothing is left to be done. */
export function endPostgres(): Promise<void> {
  ended ??= end();
  return ended;
}

async function end(): Promise<void> {
  const server = await started?.catch(() => null);
  if (server == null) return;
  try {
    await onServer(server, `DROP DATABASE IF EXISTS ${template}`);
  } finally {
    isGone = process.env.TEST_POSTGRES_URL === undefined;
    await server.remove();
  }
}

/** A migrated PostgreSQL database of its own. The server is one for the whole test file, gone after its last test. */
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
  await onServer(server, `CREATE DATABASE ${name} TEMPLATE ${copied ?? (migrated ? template : 'template0')}`);
  return {
    url: throughPooler(server.url(name)),
    async stop() {
      // A file's own hooks may come after the one that has ended the server, and taken all of it away.
      if (!isGone) await onServer(server, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

async function startServer(): Promise<Server> {
  const given = process.env.TEST_POSTGRES_URL;
  const server = given === undefined ? await startPostgresServer() : serverAt(given);
  try {
    await onServer(server, `CREATE DATABASE ${template} TEMPLATE template0`);
    const database = await openDatabase(server.url(template));
    await database.migrate();
    await database.close();
    return server;
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

function serverAt(url: string): Server {
  return {
    url(database) {
      const own = new URL(url);
      if (database !== undefined) own.pathname = `/${database}`;
      return own.href;
    },
    remove: async () => {},
  };
}

async function onServer(server: Server, text: string): Promise<void> {
  const client = new pg.Client({
    connectionString: server.url(),
    connectionTimeoutMillis: LONGEST,
    query_timeout: LONGEST,
  });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
