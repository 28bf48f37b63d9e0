import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgresServer } from '../support/postgres-server.js';
import { SqliteDatabase } from '../support/sqlite.js';
import type { Engine } from './servers.js';

/** An empty database, beside which others can be made. */
export interface BenchDatabase {
  readonly url: string;
  /** Creates another empty database, and returns its URL. */
  another(name: string): Promise<string>;
  /** Creates a copy of another database that nobody uses, and returns its URL. */
  copy(of: string, name: string): Promise<string>;
  /** Deletes a database that `another` or `copy` has created. */
  drop(name: string): Promise<void>;
  /** Reads from a database with this name. */
  rows(name: string, statement: string): Promise<readonly unknown[]>;
  /**
   * What happens to a database in the long run: PostgreSQL vacuums and analyzes it by itself, and an operator may have
   * analyzed an SQLite file.
   */
  vacuum(): Promise<void>;
  remove(): Promise<void>;
}

/**
 * PostgreSQL runs on this process's core, with the settings that protect data from power cuts. Autovacuum is off, so
 * that what is measured right after a load is what the load has left.
 */
export async function makeDatabase(engine: Engine, folder: string): Promise<BenchDatabase> {
  return engine === 'SQLite' ? makeSqlite(folder) : makePostgres();
}

function makeSqlite(folder: string): BenchDatabase {
  const fileOf = (name: string): string => join(folder, `${name}.db`);
  const urlOf = (name: string): string => `sqlite:${fileOf(name)}`;
  return {
    url: urlOf('bench'),
    another: async (name) => urlOf(name),
    async copy(of, name) {
      copyFileSync(fileOf(of), fileOf(name));
      // A database without SECRET_KEY has its key beside it.
      if (existsSync(`${fileOf(of)}.key`)) copyFileSync(`${fileOf(of)}.key`, `${fileOf(name)}.key`);
      return urlOf(name);
    },
    async drop(name) {
      for (const end of ['', '-wal', '-shm', '.key']) rmSync(fileOf(name) + end, { force: true });
    },
    async rows(name, statement) {
      const file = new SqliteDatabase(fileOf(name), { readonly: true });
      try {
        return file.prepare(statement).all();
      } finally {
        file.close();
      }
    },
    async vacuum() {
      const file = new SqliteDatabase(fileOf('bench'));
      try {
        file.exec('ANALYZE');
      } finally {
        file.close();
      }
    },
    remove: async () => {},
  };
}

async function makePostgres(): Promise<BenchDatabase> {
  const settings = ['shared_buffers=1GB', 'autovacuum=off'];
  const server = await startPostgresServer({ durable: true, settings });
  const url = server.url();
  return {
    url,
    async another(name) {
      await run(url, `CREATE DATABASE ${name}`);
      return server.url(name);
    },
    async copy(of, name) {
      await run(url, `CREATE DATABASE ${name} TEMPLATE ${of}`);
      return server.url(name);
    },
    drop: async (name) => void (await run(url, `DROP DATABASE ${name} WITH (FORCE)`)),
    rows: (name, statement) => run(server.url(name), statement),
    vacuum: async () => void (await run(url, 'VACUUM ANALYZE')),
    remove: () => server.remove(),
  };
}

async function run(url: string, statement: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
