import pg from 'pg';
import { openDatabase } from '#adapters/sql/index.js';
import type { PostgresServer } from './postgres-server.js';

const TIMEOUT_MS = 30_000;

/** A server with a migrated database that tests copy. */
export interface PostgresTemplate {
  readonly url: string;
  /** The name of the database. */
  readonly template: string;
}

export type Server = Pick<PostgresServer, 'url' | 'remove'>;

/** Creates a migrated database to copy. While it is copied, there must be no connection to it. */
export async function createTemplate(
  server: Server,
): Promise<{ readonly template: string; drop(): Promise<void> }> {
  const template = `rollcall_template_${process.pid}`;
  await runOnServer(server.url(), `CREATE DATABASE ${template} TEMPLATE template0`);
  const database = await openDatabase(server.url(template));
  try {
    await database.migrate();
  } finally {
    await database.close();
  }
  return { template, drop: () => runOnServer(server.url(), `DROP DATABASE IF EXISTS ${template}`) };
}

/** A server that another process starts and stops. */
export function serverAt(url: string): Server {
  return {
    url(database) {
      const own = new URL(url);
      if (database !== undefined) own.pathname = `/${database}`;
      return own.href;
    },
    remove: async () => {},
  };
}

/** Runs one statement on a separate connection. */
export async function runOnServer(url: string, statement: string): Promise<void> {
  const client = clientAt(url);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** A client for one connection, which the caller opens and ends. */
export function clientAt(url: string): pg.Client {
  return new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
}
