import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import { RECORDS } from '../migrations/records.js';
import type { Batches, Index, Step } from '../migrations/steps.js';
import { jittered, MAX_PAUSE_MS, type MigrationRunner } from './migration-runner.js';

/** A batch grows until it takes about this long, and shrinks when it takes longer. */
const BATCH_MS = 50;
const FIRST_BATCH_ROWS = 10;
/** Batches are smaller if the rows take long. */
const MAX_BATCH_ROWS = 5_000;

/** The name of a finished step in the table of migrations, until its migration is done. Older releases ignore such names. */
function stepName(migration: string, number: number | '' = ''): string {
  return `${migration} step ${number}`;
}

/** Runs the steps of a migration on a database in use, and records it as done. */
export async function runSteps(runner: MigrationRunner, steps: readonly Step[]): Promise<void> {
  for (const [index, step] of steps.entries()) {
    await runner.assertLock();
    const label = { name: stepName(runner.name, index + 1), what: `step ${index + 1} of ${steps.length}` };
    if (step.kind === 'index') await buildIndex(runner, step, label);
    else if (step.kind === 'batches') await runBatches(runner, step, label);
    else await runChange(runner, step.statements, label);
  }
  await runner.inShortTransaction('its end', async (transaction) => {
    if ((await recordOf(transaction, runner.name)) !== null) return;
    await transaction.raw(`DELETE FROM ${RECORDS} WHERE starts_with(name, ?)`, [stepName(runner.name)]);
    await record(transaction, runner.name);
  });
}

/** Runs the steps in the transaction, for a database without a schema. */
export async function runAtOnce(transaction: Knex, steps: readonly Step[]): Promise<void> {
  for (const step of steps) for (const statement of textsOf(step)) await transaction.raw(statement);
}

function textsOf(step: Step): readonly string[] {
  if (step.kind === 'change') return step.statements;
  if (step.kind === 'index') return [`CREATE INDEX ${step.name} ON ${step.on}`];
  return step.statements(() => 'true');
}

interface StepLabel {
  /** The name of the step in the table of migrations. */
  readonly name: string;
  /** The step's description for people. */
  readonly what: string;
}

async function runChange(runner: MigrationRunner, statements: readonly string[], { name, what }: StepLabel) {
  await runner.inShortTransaction(what, async (transaction) => {
    if ((await recordOf(transaction, name)) !== null) return;
    for (const statement of statements) await transaction.raw(statement);
    await recordStep(transaction, name, '');
  });
}

/**
 * The recorded name of a step, with the last key of its batches. Null when the step has not started. The lock keeps other
 * processes out of the step, in case the lock for migrating was lost unnoticed.
 */
async function recordOf(transaction: Knex.Transaction, name: string): Promise<string | null> {
  await transaction.raw(`LOCK TABLE ${RECORDS} IN SHARE ROW EXCLUSIVE MODE`);
  const found = await transaction.raw(`SELECT name FROM ${RECORDS} WHERE name = ? OR starts_with(name, ?)`, [
    name,
    `${name} after `,
  ]);
  return found.rows[0]?.name ?? null;
}

async function recordStep(transaction: Knex.Transaction, name: string, after: string): Promise<void> {
  await transaction.raw(`DELETE FROM ${RECORDS} WHERE name = ? OR starts_with(name, ?)`, [
    name,
    `${name} after `,
  ]);
  await record(transaction, name + after);
}

async function record(transaction: Knex.Transaction, name: string): Promise<void> {
  await transaction.raw(`INSERT INTO ${RECORDS} (name, batch, migration_time) VALUES (?, 0, now())`, [name]);
}

/** Builds an index, and replaces an invalid one of a killed process. Waits while the server is still building it. */
async function buildIndex(runner: MigrationRunner, index: Index, { what }: StepLabel): Promise<void> {
  await runner.retry(what, async () => {
    for (;;) {
      const state = await runner.stateOfIndex(index.name);
      if (state === 'valid') return;
      if (state === 'invalid') {
        await runner.tryOnce(`${what}: dropping an unfinished index`, async (transaction) => {
          // A server that is still building the index holds this lock, and may finish it meanwhile.
          await transaction.raw(`LOCK TABLE ${tableOf(index)} IN SHARE UPDATE EXCLUSIVE MODE`);
          if ((await runner.stateOfIndex(index.name, transaction)) !== 'invalid') return;
          await transaction.raw(`DROP INDEX ${index.name}`);
        });
        continue;
      }
      await runner.runConcurrently(`CREATE INDEX CONCURRENTLY ${index.name} ON ${index.on}`);
    }
  });
}

function tableOf({ on }: Index): string {
  return /^\w+/.exec(on)?.[0] ?? '';
}

async function runBatches(runner: MigrationRunner, step: Batches, { name, what }: StepLabel): Promise<void> {
  const marker = `${name} after `;
  for (let size = FIRST_BATCH_ROWS, isDone = false; !isDone; ) {
    const rows = size;
    let tookMs = 0;
    await runner.inShortTransaction(what, async (transaction) => {
      const recorded = await recordOf(transaction, name);
      isDone = recorded === name;
      if (isDone) return;
      const after = recorded === null ? null : recorded.slice(marker.length);
      const last = await lastKeyOf(transaction, step, { after, rows });
      const startedAt = performance.now();
      if (last !== null) {
        const range = rangeText({ after, last });
        for (const statement of step.statements(range)) await transaction.raw(statement);
      }
      tookMs = performance.now() - startedAt;
      isDone = last === null;
      await recordStep(transaction, name, isDone ? '' : ` after ${last}`);
    });
    size = Math.min(
      Math.max(Math.floor((rows * BATCH_MS) / Math.max(tookMs, 1)), 1),
      2 * rows,
      MAX_BATCH_ROWS,
    );
    if (!isDone) await pause(jittered(Math.min(tookMs, MAX_PAUSE_MS)));
  }
}

async function lastKeyOf(
  transaction: Knex.Transaction,
  { table, key }: Batches,
  { after, rows }: { readonly after: string | null; readonly rows: number },
): Promise<string | null> {
  const found = await transaction.raw(
    `SELECT ${key}::text AS last FROM ${table} ${after === null ? '' : `WHERE ${key} > ${literal(after)}`}
    ORDER BY ${key} LIMIT ${rows}`,
  );
  return found.rows.at(-1)?.last ?? null;
}

function rangeText({ after, last }: { readonly after: string | null; readonly last: string }) {
  return (column: string): string => {
    const upTo = `${column} <= ${literal(last)}`;
    return after === null ? upTo : `${column} > ${literal(after)} AND ${upTo}`;
  };
}

/** An untyped literal, which takes the type of the column it is compared with. `?` is escaped, because knex replaces it. */
function literal(text: string): string {
  return `'${text.replaceAll("'", "''").replaceAll('?', '\\?')}'`;
}
