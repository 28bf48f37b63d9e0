import { AsyncResource } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Unavailable } from '@rollcall/core';
import type { Sql } from '../engine/database.js';
import { withDeadline } from '../engine/deadline.js';
import type { Pool } from '../engine/pool.js';
import { transactionHandle } from '../engine/transaction-handle.js';
import { type Connection, statement } from './connection.js';
import { translateError } from './errors.js';
import { sqlOn } from './query.js';
import { MAX_PAUSE_MS, runOrWait } from './retry-while-busy.js';
import { rollBack } from './transaction.js';

/** When the writes of a group have taken this long, the others go into the next one, in a later turn of the event loop. */
const GROUP_MS = 5;

interface Write {
  /** A time of `performance.now()`. */
  readonly deadline: number;
  /** Runs the work, in the context of its caller. */
  run(sql: Sql): Promise<void>;
  /** Gives the result of the work to its caller. */
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Runs writes in order of arrival on the only writing connection. Those that wait at the same time are committed
 * together, because each commit waits for the disk and blocks the event loop meanwhile. A write that fails takes only its
 * own changes back. None is resolved before the commit.
 */
export function groupedWrites(writers: Pool<Connection>, timeoutMs: number) {
  const waiting: Write[] = [];
  /** Groups belong to no request: they have no part in the deadline or the trace of the first one. */
  const outside = new AsyncResource('GroupedWrites');
  /** Whether a group has begun in this turn of the event loop. */
  let hasBegun = false;
  /** Resolves when no write is waiting. Null: none is. */
  let running: Promise<void> | null = null;

  /**
   * Begins at most one group in each turn of the event loop: other work runs in between, and writes that arrive meanwhile
   * join the next group.
   */
  async function runAll(): Promise<void> {
    while (waiting.length > 0) {
      if (hasBegun) await nextTurn();
      hasBegun = true;
      setImmediate(() => {
        hasBegun = false;
      });
      const deadline = Math.min(...waiting.map((write) => write.deadline));
      try {
        await writers.lend((connection) => runGroup(connection, deadline));
      } catch (error) {
        refuse(error, deadline);
      }
    }
    running = null;
  }

  /**
   * After a group could not begin before `deadline`: writes whose deadline has passed are refused; the others are retried.
   * An earlier failure refuses all of them.
   */
  function refuse(error: unknown, deadline: number): void {
    const now = performance.now() + MAX_PAUSE_MS;
    for (const write of waiting.splice(0)) {
      if (now < deadline || write.deadline <= now) write.reject(error);
      else waiting.push(write);
    }
  }

  /** Throws if the group cannot begin; then its writes are still waiting. */
  async function runGroup(connection: Connection, deadline: number): Promise<void> {
    await runOrWait(connection, 'BEGIN IMMEDIATE', deadline);
    const done: Write[] = [];
    try {
      const end = performance.now() + GROUP_MS;
      do {
        const write = waiting.shift();
        if (write === undefined) break;
        if (await runOne(write, connection, done.length > 0)) done.push(write);
      } while (connection.inTransaction && performance.now() < end);
      if (connection.inTransaction) await runOrWait(connection, 'COMMIT', deadline);
    } catch (error) {
      rollBack(connection);
      for (const write of done) write.reject(error);
      return;
    }
    for (const write of done) write.resolve();
  }

  /** Returns whether the write is to be committed. Throws if SQLite has taken back those before it, too. */
  async function runOne(write: Write, connection: Connection, hasOthers: boolean): Promise<boolean> {
    const handle = transactionHandle(connection);
    const run = (text: string): unknown => statement(connection, text).run();
    try {
      if (hasOthers) run('SAVEPOINT one_write');
      await write.run(sqlOn(handle.use, timeoutMs));
      handle.end();
      if (hasOthers) run('RELEASE one_write');
      return true;
    } catch (error) {
      handle.end();
      write.reject(translateError(error));
      if (!hasOthers) rollBack(connection);
      else if (connection.inTransaction) {
        run('ROLLBACK TO one_write');
        run('RELEASE one_write');
      } else throw new Unavailable('The database has taken a change back.', { cause: error });
      return false;
    }
  }

  return {
    add<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
      const bound = AsyncResource.bind(work);
      const added = (deadline: number): Promise<T> =>
        new Promise<T>((resolve, reject) => {
          let result: T;
          waiting.push({
            ...{ deadline, reject, resolve: () => resolve(result) },
            async run(sql) {
              result = await bound(sql);
            },
          });
          running ??= outside.runInAsyncScope(runAll);
        });
      return withDeadline(timeoutMs, added);
    },
    waiting: () => waiting.length,
    idle: async () => running,
  };
}
