import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Database, SqlValue } from '#adapters/sql/index.js';
import { startPostgresDatabase } from './postgres.js';
import { startSqliteDatabase } from './storage.js';

const engines = { sqlite: startSqliteDatabase, postgres: startPostgresDatabase };

export type EngineName = keyof typeof engines;

/** Creates a migrated database without data, and drops it after the test. */
export async function startEmptyDatabase(t: TestContext, engine: EngineName): Promise<Database> {
  const { database, stop } = await engines[engine]();
  t.after(stop);
  return database;
}

const tableNames: Record<EngineName, string> = {
  sqlite: `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY 1`,
  postgres: `SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY relname COLLATE "C"`,
};

/** The names of the tables that a transfer copies. */
export async function copiedTables({ engine, read }: Database): Promise<readonly string[]> {
  const rows = await read.all<{ name: string }>(tableNames[engine]);
  // `deployment` identifies a database, so it is not copied.
  return rows
    .map(({ name }) => name)
    .filter((name) => !/^(knex|rollcall)_/.test(name) && name !== 'deployment');
}

type Rows = readonly Readonly<Record<string, SqlValue>>[];

/** All rows of the tables, in the same form for both engines: booleans are 0 and 1, like in SQLite. */
export async function dump(database: Database, tables: readonly string[]): Promise<Record<string, Rows>> {
  const found: Record<string, Rows> = {};
  for (const table of tables) {
    const rows = await database.read.all<Record<string, SqlValue>>(`SELECT * FROM ${table}`);
    found[table] = rows
      .map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            typeof value === 'boolean' ? Number(value) : value,
          ]),
        ),
      )
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  return found;
}

/** Fails if a table that a transfer copies has rows. */
export async function assertEmpty(database: Database): Promise<void> {
  const rows = await dump(database, await copiedTables(database));
  assert.deepEqual(
    Object.entries(rows).filter(([, { length }]) => length > 0),
    [],
  );
}
