import pg from 'pg';
import type { Bulk } from '#adapters/sql/engine/database.js';
import type { Database } from '#adapters/sql/index.js';
import { applyDataset } from '#adapters/sql/maintenance/apply-dataset.js';
import type { DatasetItem } from '#adapters/sql/maintenance/dataset.js';
import { importDataset } from '#adapters/sql/maintenance/import.js';
import { checkStaged } from '#adapters/sql/maintenance/import-checks.js';
import { createRegistrantStaging } from '#adapters/sql/maintenance/import-events.js';
import { createPeopleStaging, findPeople } from '#adapters/sql/maintenance/import-people.js';
import { stageRecords } from '#adapters/sql/maintenance/stage-records.js';
import { countStaged, createStaging, fillIn } from '#adapters/sql/maintenance/staging.js';
import { COMMAND_NAME, withBulk } from '#adapters/sql/postgres/bulk.js';
import { findServer } from '#adapters/sql/postgres/connect.js';
import { setUpSession } from '#adapters/sql/postgres/session.js';
import { bulkOn } from '#adapters/sql/sqlite/bulk.js';
import { setUp as setUpConnection } from '#adapters/sql/sqlite/connection.js';
import { SqliteDatabase } from './sqlite.js';

/**
 * Stores small datasets as an import does, over one connection with one set of staging tables. An import creates both
 * each time, which takes longer than most tests.
 */
export interface KeptLoader {
  load(items: readonly DatasetItem[], at: Date): Promise<void>;
  close(): Promise<void>;
}

const keptLoader = Symbol('kept loader');
type LoadedDatabase = Database & { readonly [keptLoader]?: KeptLoader['load'] };

/** The same database, whose datasets are stored by the loader. */
export function withLoader(database: Database, load: KeptLoader['load']): Database {
  const loaded: LoadedDatabase = { ...database, [keptLoader]: load };
  return loaded;
}

/** More records take longer than creating the tables, and an import prepares the tables for them. */
const MAX_ITEMS = 200;

/** Stores the records, all or none of them. */
export async function loadItems(
  database: LoadedDatabase,
  items: readonly DatasetItem[],
  at: Date,
): Promise<void> {
  const load = database[keptLoader];
  if (load !== undefined && items.length <= MAX_ITEMS) {
    try {
      return await load(items, at);
    } catch {
      // For example a record that comes twice, which only an import allows, or a lock that it waits for.
    }
  }
  await importDataset(database, inOneBatch(items), { at });
}

const TIMEOUT_MS = 30_000;

/** Null when the connections go through a pooler, which keeps no staging tables. */
export async function openPostgresLoader(url: string): Promise<KeptLoader | null> {
  const { settings, isPooled, version } = await findServer(url, {
    timeoutMs: TIMEOUT_MS,
    name: COMMAND_NAME,
  });
  if (isPooled) return null;
  const client = new pg.Client(settings).on('error', () => undefined);
  await client.connect();
  await setUpSession(client, { role: 'loader', isPooled, serverVersion: version });
  const use = <Result>(work: (bulk: Bulk) => Promise<Result>): Promise<Result> => withBulk(client, work);
  await use(createTables);
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = pg_my_temp_schema() AND relkind = 'r'`,
  );
  const emptyStaging = rows.map(({ name }) => `DELETE FROM "${name}"`).join('; ');
  return {
    async load(items, at) {
      await client.query(emptyStaging);
      await use((bulk) => load(bulk, items, at));
    },
    close: () => client.end(),
  };
}

export async function openSqliteLoader(file: string): Promise<KeptLoader> {
  const connection = new SqliteDatabase(file);
  setUpConnection(connection, 'loader');
  const bulk = bulkOn(connection, TIMEOUT_MS);
  await createTables(bulk);
  const names = connection.prepare(`SELECT name FROM temp.sqlite_schema WHERE type = 'table'`).pluck().all();
  const emptyStaging = names.map((name) => `DELETE FROM temp."${name}"`).join('; ');
  return {
    async load(items, at) {
      connection.exec(emptyStaging);
      await load(bulk, items, at);
    },
    async close() {
      connection.close();
    },
  };
}

function createTables(bulk: Bulk): Promise<void> {
  return bulk.temporary(async () => {
    await createStaging(bulk);
    await createPeopleStaging(bulk);
    await createRegistrantStaging(bulk);
  });
}

async function load(bulk: Bulk, items: readonly DatasetItem[], at: Date): Promise<void> {
  await bulk.temporary(() => stageRecords(bulk, inOneBatch(items), at));
  const staged = await countStaged(bulk);
  const filled = await bulk.temporary(async () => {
    await findPeople(bulk);
    const found = await fillIn(bulk, { staged, at, filled: new Set() });
    await checkStaged(bulk, staged);
    return found;
  });
  const events = { registered: null, ended: null };
  await bulk.write(() => applyDataset(bulk, { staged, filled, at, events }));
}

async function* inOneBatch<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  yield items;
}
