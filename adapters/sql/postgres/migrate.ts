import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '@rollcall/core';
import type { Knex } from 'knex';
import { assertTablesAreOurs } from '../migrations/foreign-tables.js';
import { type Migration, migrationSource, migrations } from '../migrations/index.js';
import { namesOfDone, RECORDS } from '../migrations/records.js';
import { advisoryLocks } from './advisory-locks.js';
import {
  FIRST_PAUSE_MS,
  jittered,
  MAX_PAUSE_MS,
  type MigratePostgres,
  migrationRunner,
  TIMEOUT_MS,
  timeText,
} from './migration-runner.js';
import { runAtOnce, runSteps } from './migration-steps.js';
import { findNamesLikeOurs } from './usability.js';

/**
 * Brings the schema up to date and returns the names of the migrations it ran. A database without a schema gets the
 * whole schema in one transaction. On a database in use, a write waits at most for one attempt to get a lock and a
 * quick statement.
 */
export async function migratePostgres(
  options: MigratePostgres,
  known: readonly Migration[] = migrations,
): Promise<readonly string[]> {
  const { timeoutMs = TIMEOUT_MS } = options;
  const deadline = performance.now() + timeoutMs;
  for (let wait = FIRST_PAUSE_MS / 4; ; wait = Math.min(2 * wait, MAX_PAUSE_MS / 4)) {
    const applied = await withMigrationLock(options, (lockHolder) => migrateWith(lockHolder, options, known));
    if (applied !== null) return applied;
    if (performance.now() > deadline) {
      throw new Unavailable(`Another process has been migrating the database for ${timeText(timeoutMs)}.`);
    }
    await pause(jittered(wait));
  }
}

/**
 * Runs `work` in one instance at a time. Returns null when another instance has the lock. The lock belongs to a
 * transaction, so that it ends with its holder, even through a pooler. The caller tries repeatedly instead of waiting:
 * a waiting statement has a snapshot, and creating an index concurrently waits for all snapshots. For the same reason
 * the transaction with the lock stays idle.
 */
async function withMigrationLock<T>(
  { knex, settings }: MigratePostgres,
  work: (lockHolder: Knex.Transaction) => Promise<T>,
): Promise<T | null> {
  return knex.transaction(async (lockHolder) => {
    await lockHolder.raw(settings);
    const lock = await lockHolder.raw(
      `SELECT pg_try_advisory_xact_lock(${advisoryLocks.migration}, 0) AS is_ours`,
    );
    return lock.rows[0].is_ours ? work(lockHolder) : null;
  });
}

async function migrateWith(
  lockHolder: Knex.Transaction,
  options: MigratePostgres,
  known: readonly Migration[],
): Promise<readonly string[]> {
  const all = async (text: string) => (await lockHolder.raw(text)).rows;
  const hasTable = async (table: string) => (await lockHolder.raw(HAS_TABLE, [table])).rows.length > 0;
  const done = await namesOfDone({ hasTable, all });
  if (done.size === 0) {
    await assertTablesAreOurs({ ...(await findNamesLikeOurs(all)), hasTable, all });
    return applyAll(lockHolder, known);
  }
  const pending = known.filter(({ name }) => !done.has(name));
  for (const { name, postgres } of pending)
    await runSteps(migrationRunner(options, { name, lockHolder }), postgres);
  return pending.map(({ name }) => name);
}

/** Whether the schema in which new tables are created has the table. */
export const HAS_TABLE = `SELECT 1 FROM pg_class WHERE relname = ? AND relnamespace = quote_ident(current_schema())::regnamespace`;

/** Creates the schema, with the tables of knex, in the transaction. */
async function applyAll(transaction: Knex.Transaction, known: readonly Migration[]) {
  const [, names] = await transaction.migrate.latest({
    tableName: RECORDS,
    migrationSource: migrationSource(known, (knex, { postgres }) => runAtOnce(knex, postgres)),
  });
  return names;
}
