import type { Knex } from 'knex';
import { migrationNames } from './index.js';

/** The table of finished migrations. Knex's own names for it and for its lock are used by other applications too. */
export const RECORDS = 'rollcall_migrations';
/** The table that previews of 0.1.0 used, possibly together with another application. */
const EARLIER_RECORDS = 'knex_migrations';
const TABLE_OF_THE_FIRST_MIGRATION = 'service_meeting_organizations';

interface MoveRecords {
  readonly knex: Knex;
  /** Whether an instance may be running that reads the earlier table. */
  readonly isEarlierServing: () => Promise<boolean>;
}

/**
 * Moves the records of our migrations out of knex's table, in the caller's transaction. Those of another application,
 * which knex takes for a damaged installation beside ours, stay there. While an earlier instance is serving, its records
 * also stay, unless another application needs the table: the next call removes them.
 */
export async function moveRecords({ knex, isEarlierServing }: MoveRecords): Promise<void> {
  const found = await readEarlier(knex);
  const ours = found.filter(({ name }) => isOurs(name));
  if (ours.length === 0 || !(await knex.schema.hasTable(TABLE_OF_THE_FIRST_MIGRATION))) return;
  if (!(await knex.schema.hasTable(RECORDS))) {
    // Creates the tables.
    await knex.migrate.currentVersion({ tableName: RECORDS });
    await knex(RECORDS).insert(ours.map(({ id: _, ...record }) => record));
  }
  const isShared = ours.length < found.length;
  if (!isShared && (await isEarlierServing())) return;
  await knex(EARLIER_RECORDS)
    .whereIn(
      'id',
      ours.map(({ id }) => id),
    )
    .delete();
  if (isShared) return;
  await knex.schema.dropTable(EARLIER_RECORDS);
  await knex.schema.dropTable(`${EARLIER_RECORDS}_lock`);
}

interface Recorded {
  readonly id: number;
  readonly name: string;
  readonly batch: number;
  readonly migration_time: unknown;
}

async function readEarlier(knex: Knex): Promise<readonly Recorded[]> {
  if (!(await knex.schema.hasTable(EARLIER_RECORDS))) return [];
  return knex(EARLIER_RECORDS).select('id', 'name', 'batch', 'migration_time').orderBy('id');
}

/** Whether the name is that of a migration of ours, or of a finished step of one. */
function isOurs(name: string): boolean {
  return migrationNames.some((own) => name === own || name.startsWith(`${own} step `));
}

/** How to read the records. */
export interface Records {
  readonly hasTable: (table: string) => Promise<boolean>;
  readonly all: (text: string) => Promise<readonly { readonly name: string }[]>;
}

/** The names of the finished migrations and steps, also before `moveRecords`. */
export async function namesOfDone({ hasTable, all }: Records): Promise<ReadonlySet<string>> {
  for (const table of [RECORDS, EARLIER_RECORDS]) {
    if (!(await hasTable(table))) continue;
    const rows = await all(`SELECT name FROM ${table}`);
    return new Set(rows.map(({ name }) => name).filter((name) => table === RECORDS || isOurs(name)));
  }
  return new Set();
}
