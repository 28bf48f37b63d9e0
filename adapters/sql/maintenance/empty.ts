import type { Database } from '../engine/database.js';
import { ownTables } from '../migrations/own-tables.js';

/** What belongs to the running service, not to its data. */
// biome-ignore format: a list
const kept: readonly string[] = [
  'deployment', 'failure_counts', 'instances', 'meeting_clock', 'secret_key', 'secret_key_uses',
];

/** Removes all data, in one transaction. The service can go on. */
export async function emptyDatabase(database: Database): Promise<void> {
  const emptied = ownTables.filter((table) => !kept.includes(table));
  await database.write(async (sql) => {
    // Deleting these two also deletes the rows that refer to them.
    for (const table of ['organizations', 'users', ...emptied]) await sql.run(`DELETE FROM ${table}`);
  });
}
