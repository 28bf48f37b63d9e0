import { rmSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DatasetMeeting, memoryStorage, type StartedStorage } from '@rollcall/core/testing';
import type Sqlite from 'better-sqlite3';
import { inLists } from '#adapters/sql/engine/sql-text.js';
import { type Database, openDatabase, sqlPorts } from '#adapters/sql/index.js';
import { datasetRecords } from './dataset-records.js';
import { type EmptyDatabase, type KeptDatabase, keptDatabases } from './kept-databases.js';
import { loadItems, openSqliteLoader } from './kept-loader.js';
import { startEmptyPostgresDatabase } from './postgres.js';
import { SqliteDatabase } from './sqlite.js';

export const databaseKinds = ['memory', 'sqlite', 'postgres'] as const;
export type DatabaseKind = (typeof databaseKinds)[number];

/** A storage, with its database if it has one. */
export interface StartedDatabase extends StartedStorage {
  readonly database: Database | null;
}

const starts: Record<DatabaseKind, () => Promise<StartedDatabase>> = {
  async memory() {
    const storage = memoryStorage();
    return { database: null, storage, load: storage.load, stop: async () => {} };
  },
  sqlite: async () => storageOver(await startEmptySqliteDatabase()),
  postgres: async () => storageOver(await startEmptyPostgresDatabase()),
};

/** Starts an empty storage, which is deleted when it is stopped. */
export function startStorage(kind: DatabaseKind): Promise<StartedDatabase> {
  return starts[kind]();
}

/** A storage over an existing database. */
export function storageOver({
  database,
  stop,
}: {
  readonly database: Database;
  stop(): Promise<void>;
}): StartedDatabase {
  return {
    database,
    storage: sqlPorts(database),
    async load(dataset) {
      const items = datasetRecords(dataset).map((record, index) => ({ line: index + 1, record }));
      await loadItems(database, items, new Date('2026-01-01T00:00:00.000Z'));
      await setUpdateTimes(database, dataset.meetings ?? []);
    },
    stop,
  };
}

/** An import gives meetings its own time instead of `updatedAt`. The time of the latest import is never earlier. */
async function setUpdateTimes({ write }: Database, meetings: readonly DatasetMeeting[]): Promise<void> {
  const times = new Set(meetings.map(({ updatedAt }) => updatedAt.toISOString()));
  for (const time of times) {
    const ids = meetings.filter(({ updatedAt }) => updatedAt.toISOString() === time).map(({ id }) => id);
    for (const { text, values } of inLists(ids)) {
      await write(async (sql) => {
        await sql.run(`UPDATE meetings SET updated_at = ? WHERE id IN (${text}) AND updated_at <> ?`, [
          time,
          ...values,
          time,
        ]);
        await sql.run(
          `UPDATE service_meeting_organizations SET updated_at = ? WHERE meeting_id IN (${text})`,
          [time, ...values],
        );
        await sql.run('UPDATE meeting_clock SET last_at = ? WHERE last_at < ?', [time, time]);
      });
    }
  }
}

/** The migrated file that this process copies, because running all migrations takes longer than most tests. */
let template: Promise<string> | null = null;

async function createTemplate(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-test-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'template.db');
  const database = await openDatabase(`sqlite:${file}`);
  await database.migrate();
  // Closing it moves everything from its log to the file.
  await database.close();
  return file;
}

/** Creates a migrated database in a new file. */
export async function startSqliteDatabase(): Promise<{
  readonly database: Database;
  readonly file: string;
  stop(): Promise<void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-test-'));
  const file = join(folder, 'test.db');
  template ??= createTemplate();
  await copyFile(await template, file);
  const database = await openDatabase(`sqlite:${file}`);
  return {
    database,
    file,
    async stop() {
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const emptyDatabases = keptDatabases(openEmpty);

/** Lends a migrated, empty database: see `keptDatabases`. */
export function startEmptySqliteDatabase(): Promise<EmptyDatabase> {
  return emptyDatabases.start();
}

async function openEmpty(): Promise<KeptDatabase> {
  const { database, file, stop } = await startSqliteDatabase();
  const loader = await openSqliteLoader(file);
  const janitor = new SqliteDatabase(file);
  // The rows go in any order.
  janitor.pragma('foreign_keys = OFF');
  janitor.pragma('synchronous = OFF');
  janitor.prepare(`ATTACH ? AS fresh`).run(await template);
  const tables = janitor
    .prepare(`SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_stat%'`)
    .pluck()
    .all()
    .map((name) => tableOf(janitor, String(name)));
  const close = async (): Promise<void> => {
    janitor.close();
    await loader.close();
    await stop();
  };
  return {
    database,
    loader,
    async isIdle() {
      const busy = database.poolStates().filter(({ role, used }) => role !== 'reader' && used > 0);
      return busy.length === 0 && database.poolStates().every(({ waiting }) => waiting === 0);
    },
    async empty() {
      janitor.transaction(() => restoreAll(tables)).immediate();
    },
    close,
    discard: close,
  };
}

/** A table of a database that is used again. */
interface Table {
  isFresh(): boolean;
  restore(): void;
}

function tableOf(janitor: Sqlite.Database, name: string): Table {
  const differs = (one: string, other: string): string =>
    `EXISTS (SELECT * FROM ${one}."${name}" EXCEPT SELECT * FROM ${other}."${name}")`;
  const isEmpty = janitor.prepare(`SELECT NOT EXISTS (SELECT 1 FROM fresh."${name}")`).pluck().get() === 1;
  const isChanged = isEmpty
    ? `EXISTS (SELECT 1 FROM main."${name}")`
    : `${differs('main', 'fresh')} OR ${differs('fresh', 'main')}`;
  const isFresh = janitor.prepare(`SELECT NOT (${isChanged})`).pluck();
  const remove = janitor.prepare(`DELETE FROM main."${name}"`);
  const fill = janitor.prepare(`INSERT INTO main."${name}" SELECT * FROM fresh."${name}"`);
  return {
    isFresh: () => isFresh.get() === 1,
    restore() {
      remove.run();
      if (!isEmpty) fill.run();
    },
  };
}

/** Triggers fill other tables, so that some are restored again. */
function restoreAll(tables: readonly Table[]): void {
  for (let changed = tables; changed.length > 0; changed = tables.filter(({ isFresh }) => !isFresh()))
    for (const table of changed) if (!table.isFresh()) table.restore();
}
