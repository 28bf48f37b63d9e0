import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '@rollcall/core';
import type { Knex } from 'knex';
import type { MigrateOptions } from '../engine/database.js';

/** What the runner needs of PostgreSQL. */
export interface MigratePostgres extends MigrateOptions {
  /** At least three connections: one holds the right to migrate, one works, one finds out which process is in the way. */
  readonly knex: Knex;
  /** Whether a pooler may use another connection for each transaction: then settings last for one transaction. */
  readonly isPooled: boolean;
  /** The statement that sets up each transaction behind a pooler. */
  readonly settings: string;
}

/**
 * How long one try waits for a lock. Statements that need the table meanwhile wait behind us, so this is also what a
 * waiting migration costs them. It is half of what it may cost, as the statement itself comes on top.
 */
const LOCK_TIMEOUT_MS = 250;
/** Between two tries, so that other clients get the lock. */
export const FIRST_PAUSE_MS = 250;
export const MAX_PAUSE_MS = 2_000;
/** After this time a try finds out which process is in the way. */
const FIND_BLOCKERS_AFTER_MS = 120;
/** The default time for which a step keeps trying, and for which another migrating process is waited for. */
export const TIMEOUT_MS = 15 * 60_000;
const REPORT_EVERY_MS = 5_000;

/** Runs the parts of one migration so that other clients never wait long for it. */
export class MigrationRunner {
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

  /** One transaction that waits only briefly for each lock, repeated until it gets them all. */
  async inShortTransaction(
    what: string,
    work: (transaction: Knex.Transaction) => Promise<unknown>,
  ): Promise<void> {
    await this.retry(what, () => this.tryOnce(what, work));
  }

  async tryOnce(what: string, work: (transaction: Knex.Transaction) => Promise<unknown>): Promise<void> {
    const { knex, settings } = this.#given;
    await knex.transaction(async (transaction) => {
      await transaction.raw(settings);
      await transaction.raw(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
      const { rows } = await transaction.raw('SELECT pg_backend_pid() AS pid');
      await this.#watched(rows[0].pid, { what, after: FIND_BLOCKERS_AFTER_MS }, () => work(transaction));
    });
  }

  /** Repeats `work` until it gets all its locks, with growing pauses. */
  async retry(what: string, work: () => Promise<void>): Promise<void> {
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
   * Runs a statement such as `CREATE INDEX CONCURRENTLY` outside of a transaction, as PostgreSQL requires. It waits for
   * all older snapshots; no reader and no writer waits for it.
   */
  async runConcurrently(text: string): Promise<void> {
    const { knex, isPooled } = this.#given;
    const connection = await knex.client.acquireConnection();
    const on = (statement: string) => knex.raw(statement).connection(connection);
    try {
      // Through a pooler, the setting might reach another connection.
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

  /** While `work` waits, finds out from another connection which processes are in the way. */
  async #watched<T>(
    pid: number | null,
    { what, after }: { readonly what: string; readonly after: number },
    work: () => Promise<T>,
  ): Promise<T> {
    if (pid === null) return work();
    const findBlockers = async (): Promise<void> => {
      const found = await this.#blockersOf(pid).catch(() => []);
      if (found.length > 0) this.#inTheWay = found;
      this.#report(what);
    };
    let finding: Promise<void> = Promise.resolve();
    const timer = setInterval(() => {
      finding = finding.then(findBlockers);
    }, after);
    try {
      return await work();
    } finally {
      clearInterval(timer);
      await finding;
    }
  }

  /** Their statements are left out: they may hold personal data. */
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

/** The lock was not free in time, or two sessions waited for each other. */
function isLockTrouble(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '55P03' || error.code === '40P01');
}

/** For people: `15 minutes`. */
export function timeText(milliseconds: number): string {
  return milliseconds < 120_000
    ? `${Math.round(milliseconds / 1000)} seconds`
    : `${Math.round(milliseconds / 60_000)} minutes`;
}

/** Processes that try at the same time drift apart. */
export function jittered(milliseconds: number): number {
  return milliseconds * (0.75 + Math.random() / 2);
}
