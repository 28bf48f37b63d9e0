import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '@rollcall/core';
import type { Knex } from 'knex';
import type { MigrateOptions } from '../engine/database.js';
import { type Migration, migrationSource, migrations } from '../migrations/index.js';
import { type Batches, createIndexText, type Index, type Step } from '../migrations/steps.js';

/** What the runner needs of PostgreSQL. */
export interface MigratePostgres extends MigrateOptions {
  /** At least three connections: one holds the right to migrate, one works, one looks who is in the way. */
  readonly knex: Knex;
  /** Whether each transaction may be lent another connection: then settings are those of a transaction. */
  readonly isPooled: boolean;
  /** What each transaction begins with behind a pooler. */
  readonly settings: string;
}

/** "Roll", and what is locked: the numbers are ours alone in the database. */
const MIGRATION_LOCK = 0x526f6c6c;

/**
 * How long one try waits for a lock. Statements that need the table meanwhile wait behind us, so this is also what a
 * waiting migration costs them. It is half of what it may cost, as the statement itself comes on top.
 */
const LOCK_TIMEOUT_MS = 250;
/** Between two tries, so that other clients get the lock. */
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 2_000;
/** After this time a try finds out which process is in the way. */
const FIND_BLOCKERS_AFTER_MS = 120;
/** The default time for which a step keeps trying, and for which another migrating process is waited for. */
const TIMEOUT_MS = 15 * 60_000;
const REPORT_EVERY_MS = 5_000;
/** A batch grows until it takes about this long, and shrinks when it takes longer. */
const BATCH_MS = 50;
const FIRST_BATCH_ROWS = 10;

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
    const runner = new Runner(given, { migration: migration.name, right });
    if (migration.steps === undefined) {
      await runner.inShortTransaction('its changes', (transaction) => applyAll(transaction, [migration]));
    } else {
      await runSteps(runner, migration.steps);
      await runner.inShortTransaction('its end', (transaction) => noteAsDone(transaction, migration));
    }
  }
  return pending.map(({ name }) => name);
}

/** Names of migrations, and of steps of one that was left in the middle. */
async function namesOfDone(transaction: Knex.Transaction): Promise<ReadonlySet<string>> {
  const table = await transaction.raw(`SELECT to_regclass('knex_migrations') AS found`);
  if (table.rows[0].found === null) return new Set();
  const done = await transaction.raw('SELECT name FROM knex_migrations');
  return new Set(done.rows.map(({ name }: { readonly name: string }) => name));
}

/** By knex, whose tables tell earlier releases as well what has been done. */
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

async function noteAsDone(transaction: Knex.Transaction, migration: Migration): Promise<void> {
  await transaction.raw('DELETE FROM knex_migrations WHERE starts_with(name, ?)', [stepName(migration.name)]);
  await applyAll(transaction, [{ ...migration, up: { ...migration.up, postgres: async () => {} } }]);
}

// ── Steps ──────────────────────────────────────────────────────────────────────────────────────────────────

/** What a step is noted by in knex's table until its migration is done; older releases look for whole names only. */
function stepName(migration: string, number: number | '' = ''): string {
  return `${migration} step ${number}`;
}

async function runSteps(runner: Runner, steps: readonly Step[]): Promise<void> {
  for (const [index, step] of steps.entries()) {
    await runner.assertRight();
    const place = {
      note: stepName(runner.migration, index + 1),
      what: `step ${index + 1} of ${steps.length}`,
    };
    if (step.kind === 'index') await makeIndex(runner, step, place);
    else if (step.kind === 'batches') await runBatches(runner, step, place);
    else await runChange(runner, step.statements, place);
  }
}

interface Place {
  /** What the step is noted by. */
  readonly note: string;
  /** For people. */
  readonly what: string;
}

async function runChange(
  runner: Runner,
  statements: readonly string[],
  { note, what }: Place,
): Promise<void> {
  await runner.inShortTransaction(what, async (transaction) => {
    if ((await notedAt(transaction, note)) !== null) return;
    for (const statement of statements) await transaction.raw(statement);
    await noteStep(transaction, note, '');
  });
}

/** Also keeps another process out of the same step, in case the right to migrate was lost unnoticed. */
async function notedAt(transaction: Knex.Transaction, note: string): Promise<string | null> {
  await transaction.raw('LOCK TABLE knex_migrations IN SHARE ROW EXCLUSIVE MODE');
  const found = await transaction.raw(
    'SELECT name FROM knex_migrations WHERE name = ? OR starts_with(name, ?)',
    [note, `${note} after `],
  );
  return found.rows[0]?.name ?? null;
}

async function noteStep(transaction: Knex.Transaction, note: string, after: string): Promise<void> {
  await transaction.raw('DELETE FROM knex_migrations WHERE name = ? OR starts_with(name, ?)', [
    note,
    `${note} after `,
  ]);
  await transaction.raw('INSERT INTO knex_migrations (name, batch, migration_time) VALUES (?, 0, now())', [
    note + after,
  ]);
}

/** What a killed run has left invalid is made anew; a server may still be at work on it, and is waited for. */
async function makeIndex(runner: Runner, index: Index, { what }: Place): Promise<void> {
  await runner.retried(what, async () => {
    for (;;) {
      const state = await runner.stateOfIndex(index.name);
      if (state === 'valid') return;
      if (state === 'invalid') {
        await runner.oneTry(`${what}: dropping an unfinished index`, async (transaction) => {
          await transaction.raw(`DROP INDEX ${index.name}`);
        });
      }
      await runner.concurrently(createIndexText(index, 'CONCURRENTLY'));
    }
  });
}

async function runBatches(runner: Runner, step: Batches, { note, what }: Place): Promise<void> {
  const marker = `${note} after `;
  for (let size = Math.min(FIRST_BATCH_ROWS, step.maxRows), isOver = false; !isOver; ) {
    const rows = size;
    let took = 0;
    await runner.inShortTransaction(what, async (transaction) => {
      const noted = await notedAt(transaction, note);
      isOver = noted === note;
      if (isOver) return;
      const after = noted === null ? null : noted.slice(marker.length);
      const last = await lastKeyOf(transaction, step, { after, rows });
      const begun = performance.now();
      if (last !== null) {
        const range = rangeText({ after, last });
        for (const statement of step.statements(range)) await transaction.raw(statement);
      }
      took = performance.now() - begun;
      isOver = last === null;
      await noteStep(transaction, note, isOver ? '' : ` after ${last}`);
    });
    size = Math.min(Math.max(Math.floor((rows * BATCH_MS) / Math.max(took, 1)), 1), 2 * rows, step.maxRows);
    if (!isOver) await pause(jittered(Math.min(took, MAX_PAUSE_MS)));
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

/** Of an untyped text, which takes the type of the column that it is compared with. A `?` would be knex's. */
function literal(text: string): string {
  return `'${text.replaceAll("'", "''").replaceAll('?', '\\?')}'`;
}

// ── Locks ──────────────────────────────────────────────────────────────────────────────────────────────────

/** Runs the parts of one migration so that other clients never wait long for it. */
class Runner {
  readonly migration: string;
  readonly #given: MigratePostgres;
  readonly #right: Knex.Transaction;
  /** The processes that were in the way at the last check. */
  #inTheWay: readonly string[] = [];
  #reportedAt = performance.now();
  readonly #timeoutMs: number;

  constructor(
    given: MigratePostgres,
    { migration, right }: { readonly migration: string; readonly right: Knex.Transaction },
  ) {
    this.#given = given;
    this.#timeoutMs = given.timeoutMs ?? TIMEOUT_MS;
    this.migration = migration;
    this.#right = right;
  }

  /** Throws when the connection with the lock is gone: another process may be migrating by now. */
  async assertRight(): Promise<void> {
    await this.#right.raw('SELECT 1');
  }

  /** One transaction in which each lock is waited for only shortly, tried until it has them all. */
  async inShortTransaction(
    what: string,
    work: (transaction: Knex.Transaction) => Promise<unknown>,
  ): Promise<void> {
    await this.retried(what, () => this.oneTry(what, work));
  }

  async oneTry(what: string, work: (transaction: Knex.Transaction) => Promise<unknown>): Promise<void> {
    const { knex, settings } = this.#given;
    await knex.transaction(async (transaction) => {
      await transaction.raw(settings);
      await transaction.raw(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
      const { rows } = await transaction.raw('SELECT pg_backend_pid() AS pid');
      await this.#watched(rows[0].pid, { what, after: FIND_BLOCKERS_AFTER_MS }, () => work(transaction));
    });
  }

  /** Again after each lock that was not to be had, with pauses that grow. */
  async retried(what: string, work: () => Promise<void>): Promise<void> {
    const until = performance.now() + this.#timeoutMs;
    this.#inTheWay = [];
    for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(2 * wait, MAX_PAUSE_MS)) {
      try {
        return await work();
      } catch (error) {
        if (!isLockTrouble(error)) throw error;
        if (performance.now() > until) throw this.#gaveUp(what, error);
        this.#report(what);
      }
      await pause(jittered(wait));
      await this.assertRight();
    }
  }

  /**
   * Outside of a transaction, as PostgreSQL wants it. It waits for everybody who has an older snapshot, and nobody who
   * reads or writes waits for it.
   */
  async concurrently(text: string): Promise<void> {
    const { knex, isPooled } = this.#given;
    const connection = await knex.client.acquireConnection();
    const on = (statement: string) => knex.raw(statement).connection(connection);
    try {
      // What is said behind a pooler may be said to another connection.
      if (!isPooled) await on(`SET lock_timeout = ${this.#timeoutMs}`);
      const { rows } = await on('SELECT pg_backend_pid() AS pid');
      const watch = { what: text.slice(0, text.indexOf(' ON ')), after: REPORT_EVERY_MS };
      await this.#watched(isPooled ? null : rows[0].pid, watch, () => on(text));
    } finally {
      await knex.client.releaseConnection(connection);
    }
  }

  async stateOfIndex(name: string): Promise<'valid' | 'invalid' | 'absent'> {
    const { rows } = await this.#given.knex.raw(
      'SELECT indisvalid AND indisready AS is_valid FROM pg_index WHERE indexrelid = to_regclass(?)',
      [name],
    );
    if (rows.length === 0) return 'absent';
    return rows[0].is_valid ? 'valid' : 'invalid';
  }

  /** Looks who is in the way while `work` waits, from another connection. */
  async #watched<T>(
    pid: number | null,
    { what, after }: { readonly what: string; readonly after: number },
    work: () => Promise<T>,
  ): Promise<T> {
    if (pid === null) return work();
    const look = async (): Promise<void> => {
      const found = await this.#blockersOf(pid).catch(() => []);
      if (found.length > 0) this.#inTheWay = found;
      this.#report(what);
    };
    let looking: Promise<void> = Promise.resolve();
    const timer = setInterval(() => {
      looking = looking.then(look);
    }, after);
    try {
      return await work();
    } finally {
      clearInterval(timer);
      await looking;
    }
  }

  /** Without their statements, which may hold what people have entered. */
  async #blockersOf(pid: number): Promise<readonly string[]> {
    const { rows } = await this.#given.knex.raw(
      `SELECT pid, coalesce(nullif(application_name, ''), backend_type, 'unknown') AS name, state,
        coalesce(extract(epoch FROM now() - xact_start), 0)::int AS seconds
      FROM pg_stat_activity WHERE pid = ANY(pg_blocking_pids(?)) ORDER BY xact_start LIMIT 3`,
      [pid],
    );
    return rows.map(
      (row: Readonly<Record<'pid' | 'name' | 'state' | 'seconds', string | number | null>>) =>
        `process ${row.pid} (${row.name}, ${row.state ?? 'at work'}, its transaction is ${row.seconds} s old)`,
    );
  }

  #report(what: string): void {
    if (this.#inTheWay.length === 0 || performance.now() - this.#reportedAt < REPORT_EVERY_MS) return;
    this.#reportedAt = performance.now();
    this.#given.onWait?.(`Migration ${this.migration}, ${what}, waits for ${this.#inTheWay.join(' and ')}.`);
  }

  #gaveUp(what: string, cause: unknown): Unavailable {
    const who = this.#inTheWay.length === 0 ? 'another session' : this.#inTheWay.join(' and ');
    return new Unavailable(
      `Migration ${this.migration}, ${what}, has waited ${timeText(this.#timeoutMs)} for a lock that is held by ${who}. ` +
        'Wait until that has ended, or end it with SELECT pg_terminate_backend(<process>); then run it again, ' +
        'and it goes on where it stopped.',
      { cause },
    );
  }
}

/** The lock was not to be had in time, or two waited for each other. */
function isLockTrouble(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '55P03' || error.code === '40P01');
}

function timeText(milliseconds: number): string {
  return milliseconds < 120_000
    ? `${Math.round(milliseconds / 1000)} seconds`
    : `${Math.round(milliseconds / 60_000)} minutes`;
}

/** Several who try at the same time come apart. */
function jittered(milliseconds: number): number {
  return milliseconds * (0.75 + Math.random() / 2);
}
