import { withDatabase } from './opened-database.js';
import { runOnServer } from './postgres-client.js';
import type { PostgresServer } from './postgres-server.js';

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
): Promise<{ readonly template: string; drop(): Promise<unknown> }> {
  const template = `rollcall_template_${process.pid}`;
  await runOnServer(server.url(), `CREATE DATABASE ${template} TEMPLATE template0`);
  await withDatabase(server.url(template), (database) => database.migrate());
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
