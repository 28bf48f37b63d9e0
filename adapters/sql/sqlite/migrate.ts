import type { Knex } from 'knex';
import { type Migration, migrationSource, migrations } from '../migrations/index.js';
import { RECORDS } from '../migrations/records.js';
import type { Connection } from './connection.js';
import { retryWhileBusy } from './retry-while-busy.js';

/** "Roll", in the header of Rollcall's database files. */
const APPLICATION_ID = 0x526f6c6c;
const TIMEOUT_MS = 60_000;

/**
 * Runs all migrations, and creates knex's own tables, in one transaction with a lock. A killed process leaves neither
 * half a schema nor a lock.
 */
export async function migrateSqlite(
  knex: Knex,
  known: readonly Migration[] = migrations,
): Promise<readonly string[]> {
  return knex.transaction(async (transaction) => {
    const deadline = performance.now() + TIMEOUT_MS;
    // Setting the id in the header takes the write lock before anything is read.
    await retryWhileBusy(() => transaction.raw(`PRAGMA application_id = ${APPLICATION_ID}`), deadline);
    const [, names] = await transaction.migrate.latest({
      tableName: RECORDS,
      migrationSource: migrationSource(known, runAll),
      // An older version of the program can run next to a newer one, on the newer schema.
      disableMigrationsListValidation: true,
    });
    return names;
  });
}

async function runAll({ client }: Knex, { sqlite }: Migration): Promise<void> {
  const connection: Connection = await client.acquireConnection();
  connection.exec(sqlite);
}
