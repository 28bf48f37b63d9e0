import type { Sql, SqlValue } from '../engine/database.js';
import { traceStatement } from '../engine/tracing.js';
import { encoded } from './query.js';
import type { AsideReader } from './reader-thread-client.js';
import { retryWhileBusy } from './retry-while-busy.js';

/** Runs read-only statements in another thread, for an organization. Without a snapshot, each sees the current state. */
export function sqlAside(
  aside: AsideReader,
  { of, timeoutMs, snapshot = null }: { of: number; timeoutMs: number; snapshot?: number | null },
): Sql {
  const on = <Row>(form: 'all' | 'rows', text: string, values: readonly SqlValue[] = []) =>
    traceStatement('sqlite', text, () =>
      retryWhileBusy(
        () => aside.ask<Row>({ of, snapshot, form, text, values: encoded(values) }),
        performance.now() + timeoutMs,
      ),
    );
  return {
    all: <Row>(text: string, values?: readonly SqlValue[]) => on<Row>('all', text, values),
    rows: <Row extends readonly unknown[]>(text: string, values?: readonly SqlValue[]) =>
      on<Row>('rows', text, values),
    get: async <Row>(text: string, values?: readonly SqlValue[]) => (await on<Row>('all', text, values))[0],
    run: async () => {
      throw new Error('another thread only reads');
    },
  };
}
