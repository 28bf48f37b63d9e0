import type { Bulk } from '../engine/database.js';
import { inserting } from '../engine/insert-many.js';
import type { Connection } from './connection.js';
import { sqlOn } from './query.js';
import { inTransaction } from './transaction.js';

export function bulkOn(connection: Connection, timeoutMs: number): Bulk {
  const inOne = <T>(begin: string, work: () => Promise<T>): Promise<T> =>
    inTransaction(connection, begin, performance.now() + timeoutMs, work);
  const sql = sqlOn(() => connection, timeoutMs);
  return {
    engine: 'sqlite',
    ...sql,
    temporary: (work) => inOne('BEGIN', work),
    read: (work) => inOne('BEGIN', work),
    write: (work) => inOne('BEGIN IMMEDIATE', work),
    load: (columns, values) => inserting(sql, columns)(values),
    // Those that read see the previous state until the commit, so nobody has to wait.
    isAlone: async () => true,
  };
}
