import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '@rollcall/core';
import type { Knex } from 'knex';
import { type Migration, migrationSource, migrations } from '../migrations/index.js';
import {
  FIRST_PAUSE_MS,
  jittered,
  MAX_PAUSE_MS,
  type MigratePostgres,
  MigrationRunner,
  TIMEOUT_MS,
  timeText,
} from './migration-runner.js';
import { runSteps, stepName } from './migration-steps.js';

/** "Roll", and a number for this lock: a range of lock numbers that only this service uses in the database. */
const MIGRATION_LOCK = 0x526f6c6c;

/**
 * Brings the schema up to date and returns the names of the migrations it ran. A database without a schema gets all of
 * it in one transaction. On a database in use, a write waits at most for one try for a lock and a quick statement.
 */
export async function migratePostgres(given: MigratePostgres): Promise<readonly string[]> {
  const { timeoutMs = TIMEOUT_MS } = given;
  const until = performance.now() + timeoutMs;
  for (let wait = FIRST_PAUSE_MS / 4; ; wait = Math.min(2 * wait, MAX_PAUSE_MS / 4)) {
    const applied = await withMigrationLock(given, (right) => migrateWith(right, given));
    if (applied !== null) return applied;
    if (performance.now() > until) {
      throw new Unavailable(`Another process has been migrating the database for ${timeText(timeoutMs)}.`);
    }
    await pause(jittered(wait));
  }
}

/**
 * Of several instances only one migrates. The lock belongs to a transaction, so that it ends with its holder, also
 * through a pooler. We try again and again instead of waiting: a waiting statement has a snapshot, and creating an index
 * concurrently waits for all snapshots. For the same reason the transaction with the lock stays idle.
 */
async function withMigrationLock<T>(
  { knex, settings }: MigratePostgres,
  work: (right: Knex.Transaction) => Promise<T>,
): Promise<T | null> {
  return knex.transaction(async (right) => {
    await right.raw(settings);
    const lock = await right.raw(`SELECT pg_try_advisory_xact_lock(${MIGRATION_LOCK}, 0) AS is_ours`);
    return lock.rows[0].is_ours ? work(right) : null;
  });
}

async function migrateWith(right: Knex.Transaction, given: MigratePostgres): Promise<readonly string[]> {
  const done = await namesOfDone(right);
  if (done.size === 0) return applyAll(right, migrations);
  const pending = migrations.filter(({ name }) => !done.has(name));
  for (const migration of pending) {
    const runner = new MigrationRunner(given, { migration: migration.name, right });
    if (migration.steps === undefined) {
      await runner.inShortTransaction('its changes', (transaction) => applyAll(transaction, [migration]));
    } else {
      await runSteps(runner, migration.steps);
      await runner.inShortTransaction('its end', (transaction) => recordAsDone(transaction, migration));
    }
  }
  return pending.map(({ name }) => name);
}

/** Names of migrations, and of steps of one that was interrupted. */
async function namesOfDone(transaction: Knex.Transaction): Promise<ReadonlySet<string>> {
  const table = await transaction.raw(`SELECT to_regclass('knex_migrations') AS found`);
  if (table.rows[0].found === null) return new Set();
  const done = await transaction.raw('SELECT name FROM knex_migrations');
  return new Set(done.rows.map(({ name }: { readonly name: string }) => name));
}

/** Uses knex, because earlier releases read in its tables what has been done. */
async function applyAll(
  transaction: Knex.Transaction,
  applied: readonly Migration[],
): Promise<readonly string[]> {
  const source = migrationSource('postgres');
  const [, names] = await transaction.migrate.latest({
    migrationSource: { ...source, getMigrations: async () => [...applied] },
    // An older version of the program runs beside a newer one on the newer one's schema.
    disableMigrationsListValidation: true,
  });
  return names;
}

async function recordAsDone(transaction: Knex.Transaction, migration: Migration): Promise<void> {
  await transaction.raw('DELETE FROM knex_migrations WHERE starts_with(name, ?)', [stepName(migration.name)]);
  await applyAll(transaction, [{ ...migration, up: { ...migration.up, postgres: async () => {} } }]);
}
