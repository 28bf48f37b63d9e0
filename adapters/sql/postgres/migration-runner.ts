import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '@rollcall/core';
import type { Knex } from 'knex';
import type { MigrateOptions } from '../engine/database.js';
import { isPostgresLockTimeout } from './errors.js';

export interface MigratePostgres extends MigrateOptions {
  /** At least three connections: one holds the lock for migrating, one works, one finds out which process is in the way. */
  readonly knex: Knex;
  /** Whether a pooler may use another connection for each transaction. Settings then last for one transaction. */
  readonly isPooled: boolean;
  /** The statement that sets up each transaction behind a pooler. */
  readonly settings: string;
}

/**
 * How long one attempt waits for a lock. Statements that need the same table wait behind it for as long. It is half of
 * the time that they may lose, because the migration's statement takes time as well.
 */
const LOCK_TIMEOUT_MS = 250;
/** The pause between two attempts, so that other clients get the lock. */
export const FIRST_PAUSE_MS = 250;
export const MAX_PAUSE_MS = 2_000;
/** After this time an attempt finds out which process is in the way. */
const FIND_BLOCKERS_AFTER_MS = 120;
/** By default, how long a step keeps trying, and how long this process waits for another one that migrates. */
export const TIMEOUT_MS = 15 * 60_000;
const REPORT_EVERY_MS = 5_000;

type Work = (transaction: Knex.Transaction) => Promise<unknown>;

interface Watch {
  readonly what: string;
  readonly after: number;
}

export type MigrationRunner = ReturnType<typeof migrationRunner>;

/**
 * Runs the parts of one migration so that other clients never wait long for it. `lockHolder` is the transaction that holds the
 * lock for migrating.
 */
export function migrationRunner(
  options: MigratePostgres,
  { name, lockHolder }: { readonly name: string; readonly lockHolder: Knex.Transaction },
) {
  const { knex, settings, isPooled, timeoutMs = TIMEOUT_MS } = options;
  /** The processes that were in the way at the last check. */
  let inTheWay: readonly string[] = [];
  let reportedAt = performance.now();

  /** Throws when the connection with the lock is lost, because another process may then be migrating. */
  async function assertLock(): Promise<void> {
    await lockHolder.raw('SELECT 1');
  }

  /** One transaction that waits only briefly for each lock, repeated until it gets them all. */
  async function inShortTransaction(what: string, work: Work): Promise<void> {
    await retry(what, () => tryOnce(what, work));
  }

  async function tryOnce(what: string, work: Work): Promise<void> {
    await knex.transaction(async (transaction) => {
      await transaction.raw(settings);
      await transaction.raw(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
      const { rows } = await transaction.raw('SELECT pg_backend_pid() AS pid');
      await watched(rows[0].pid, { what, after: FIND_BLOCKERS_AFTER_MS }, () => work(transaction));
    });
  }

  /** Repeats `work` until it gets all its locks, with growing pauses. */
  async function retry(what: string, work: () => Promise<void>): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    inTheWay = [];
    for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(2 * wait, MAX_PAUSE_MS)) {
      try {
        return await work();
      } catch (error) {
        if (!isPostgresLockTimeout(error)) throw error;
        if (performance.now() > deadline) throw timedOut(what, error);
        report(what);
      }
      await pause(jittered(wait));
      await assertLock();
    }
  }

  /**
   * Runs a statement such as `CREATE INDEX CONCURRENTLY` outside of a transaction, as PostgreSQL requires. The statement
   * waits for all older snapshots, but no reader or writer waits for it.
   */
  async function runConcurrently(text: string): Promise<void> {
    const connection = await knex.client.acquireConnection();
    const on = (statement: string) => knex.raw(statement).connection(connection);
    try {
      // Through a pooler, the setting might reach another connection.
      if (!isPooled) await on(`SET lock_timeout = ${timeoutMs}`);
      const { rows } = await on('SELECT pg_backend_pid() AS pid');
      const watch = { what: text.slice(0, text.indexOf(' ON ')), after: REPORT_EVERY_MS };
      await watched(isPooled ? null : rows[0].pid, watch, () => on(text));
    } finally {
      await knex.client.releaseConnection(connection);
    }
  }

  async function stateOfIndex(name: string, on: Knex | Knex.Transaction = knex) {
    const { rows } = await on.raw(
      'SELECT indisvalid AND indisready AS is_valid FROM pg_index WHERE indexrelid = to_regclass(?)',
      [name],
    );
    if (rows.length === 0) return 'absent';
    return rows[0].is_valid ? 'valid' : 'invalid';
  }

  /** While `work` waits, finds out from another connection which processes are in the way. */
  async function watched(pid: number | null, { what, after }: Watch, work: () => Promise<unknown>) {
    if (pid === null) return work();
    const findBlockers = async (): Promise<void> => {
      const found = await blockersOf(pid).catch(() => []);
      if (found.length > 0) inTheWay = found;
      report(what);
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

  /** Describes the blocking processes without their statements, which may contain personal data. */
  async function blockersOf(pid: number): Promise<readonly string[]> {
    const { rows } = await knex.raw(
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

  function report(what: string): void {
    if (inTheWay.length === 0 || performance.now() - reportedAt < REPORT_EVERY_MS) return;
    reportedAt = performance.now();
    options.onWait?.(`Migration ${name}, ${what}, waits for ${inTheWay.join(' and ')}.`);
  }

  function timedOut(what: string, cause: unknown): Unavailable {
    const who = inTheWay.length === 0 ? 'another session' : inTheWay.join(' and ');
    return new Unavailable(
      `Migration ${name}, ${what}, has waited ${timeText(timeoutMs)} for a lock that is held by ${who}. ` +
        'Wait until that has ended, or end it with SELECT pg_terminate_backend(<process>); then run it again, ' +
        'and it goes on where it stopped.',
      { cause },
    );
  }

  return { name, assertLock, inShortTransaction, tryOnce, retry, runConcurrently, stateOfIndex };
}

/** Formats a time for people: `15 minutes`. */
export function timeText(milliseconds: number): string {
  return milliseconds < 120_000
    ? `${Math.round(milliseconds / 1000)} seconds`
    : `${Math.round(milliseconds / 60_000)} minutes`;
}

/** Varies a pause, so that processes don't keep trying at the same time. */
export function jittered(milliseconds: number): number {
  return milliseconds * (0.75 + Math.random() / 2);
}
