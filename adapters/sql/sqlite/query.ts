import type { Sql, SqlValue } from '../engine/database.js';
import { traceStatement } from '../engine/tracing.js';
import { type Connection, rawStatement, statement } from './connection.js';
import { retryWhileBusy } from './retry-while-busy.js';

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
