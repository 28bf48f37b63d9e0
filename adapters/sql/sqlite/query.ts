import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '@rollcall/core';
import type { Sql, SqlValue } from '../engine/database.js';
import { retireConnection } from '../engine/retired-connections.js';
import { traceStatement } from '../engine/tracing.js';
import { type Connection, rawStatement, statement } from './connection.js';
import { isBusy, translateError } from './errors.js';

const FIRST_PAUSE_MS = 5;
export const MAX_PAUSE_MS = 80;

/** `use` returns the connection, or throws when it must no longer be used. */
export function sqlOn(use: () => Connection, timeoutMs: number): Sql {
  const on = <T>(text: string, step: (connection: Connection) => T): Promise<T> =>
    traceStatement('sqlite', text, () => retryWhileBusy(() => step(use()), performance.now() + timeoutMs));
  return {
    all: <Row>(text: string, values: readonly SqlValue[] = []) =>
      on(text, (connection) => statement(connection, text).all(encoded(values)) as Row[]),
    rows: <Row extends readonly unknown[]>(text: string, values: readonly SqlValue[] = []) =>
      on(text, (connection) => rawStatement(connection, text).all(encoded(values)) as Row[]),
    get: <Row>(text: string, values: readonly SqlValue[] = []) =>
      on(text, (connection) => statement(connection, text).all(encoded(values))[0] as Row | undefined),
    run: (text, values = []) => on(text, (connection) => statement(connection, text).run(encoded(values))),
  };
}

/** Converts booleans and timestamps, which SQLite does not have. Most lists contain none, and are returned as they are. */
export function encoded(values: readonly SqlValue[]): readonly unknown[] {
  return values.some((value) => typeof value === 'boolean' || value instanceof Date)
    ? values.map(encode)
    : values;
}

function encode(value: SqlValue): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return value instanceof Date ? value.toISOString() : value;
}

/** Commits when `work` resolves, rolls back when it throws. */
export async function inTransaction<T>(
  connection: Connection,
  begin: string,
  deadline: number,
  work: () => Promise<T>,
): Promise<T> {
  await runOrWait(connection, begin, deadline);
  try {
    const result = await work();
    await runOrWait(connection, 'COMMIT', deadline);
    return result;
  } catch (error) {
    rollBack(connection);
    throw error;
  }
}

/** Runs a statement without values, and waits until `deadline` for the lock of another program. */
export function runOrWait(connection: Connection, text: string, deadline: number): Promise<unknown> {
  return traceStatement('sqlite', text, () =>
    retryWhileBusy(() => statement(connection, text).run(), deadline),
  );
}

/** Rolls back, unless SQLite already has after an error. A connection that can't roll back is not used again. */
export function rollBack(connection: Connection): void {
  if (!connection.inTransaction) return;
  try {
    statement(connection, 'ROLLBACK').run();
  } catch {
    retireConnection(connection);
  }
}

/** Waits for a lock with a timer, because better-sqlite3's own waiting would block the event loop. */
export async function retryWhileBusy<T>(step: () => T | Promise<T>, deadline: number): Promise<T> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
    try {
      return await step();
    } catch (error) {
      if (!isBusy(error)) throw translateError(error);
      if (performance.now() + pause > deadline) {
        throw new Unavailable('The database is busy.', { cause: error });
      }
    }
    await sleep(pause);
  }
}
