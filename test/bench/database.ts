import { join } from 'node:path';
import pg from 'pg';
import { startPostgresServer } from '../support/postgres-server.js';
import type { Engine } from './servers.js';

/** An empty database. */
export interface BenchDatabase {
  readonly url: string;
  /** Creates another empty database, and returns its URL. */
  another(name: string): Promise<string>;
  /** Does the maintenance at once that the engine does by itself some time after many writes. */
  settle(): Promise<void>;
  remove(): Promise<void>;
}

const none = async (): Promise<void> => {};

/** PostgreSQL runs on this process's core, with the settings that protect data from power cuts. */
export async function makeDatabase(engine: Engine, folder: string): Promise<BenchDatabase> {
  if (engine === 'SQLite') {
    const urlOf = (name: string): string => `sqlite:${join(folder, name)}`;
    return {
      url: urlOf('bench.db'),
      another: async (name) => urlOf(`${name}.db`),
      settle: none,
      remove: none,
    };
  }
  const server = await startPostgresServer({ durable: true, settings: ['shared_buffers=1GB'] });
  const url = server.url();
  return {
    url,
    async another(name) {
      await run(url, `CREATE DATABASE ${name}`);
      return server.url(name);
    },
    settle: () => run(url, 'VACUUM ANALYZE'),
    remove: () => server.remove(),
  };
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}
