import { join } from 'node:path';
import pg from 'pg';
import { startPostgresServer } from '../support/postgres-server.js';
import type { Engine } from './servers.js';

/** An empty database. */
export interface BenchDatabase {
  readonly url: string;
  /** What the engine does by itself some time after much was written, done at once. */
  settle(): Promise<void>;
  remove(): Promise<void>;
}

const none = async (): Promise<void> => {};

/** PostgreSQL runs on this process's core, and keeps its promises about power cuts. */
export async function makeDatabase(engine: Engine, folder: string): Promise<BenchDatabase> {
  if (engine === 'SQLite') return { url: `sqlite:${join(folder, 'bench.db')}`, settle: none, remove: none };
  const server = await startPostgresServer({ durable: true, settings: ['shared_buffers=1GB'] });
  const url = server.url();
  return { url, settle: () => vacuumed(url), remove: () => server.remove() };
}

async function vacuumed(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('VACUUM ANALYZE');
  await client.end();
}
