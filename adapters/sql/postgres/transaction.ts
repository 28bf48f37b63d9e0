import type { Client } from 'pg';
import type { Sql } from '../engine/database.js';
import { isRetired } from '../engine/retired-connections.js';
import { MIN_STATEMENT_TIMEOUT_MS, query, type StatementTimeout } from './query.js';
import { beginText, destroyConnection } from './session.js';

/** Commits when `work` resolves, rolls back when it throws. */
export async function inTransaction<T>(
  connection: Client,
  { begin, timeout }: { readonly begin: string; readonly timeout: StatementTimeout },
  work: () => Promise<T>,
): Promise<T> {
  await query(connection, { text: beginText(connection, begin), timeoutMs: timeout() });
  try {
    const result = await work();
    const { command } = await query(connection, { text: 'COMMIT', timeoutMs: timeout() });
    // After a failed statement the server answers ROLLBACK here, without an error.
    if (command !== 'COMMIT')
      throw new Error('the transaction could not be committed: a statement had failed');
    return result;
  } catch (error) {
    await rollBack(connection);
    throw error;
  }
}

/** Rolls back, and destroys the connection if that fails. */
export async function rollBack(connection: Client): Promise<void> {
  if (isRetired(connection)) return;
  try {
    await query(connection, { text: 'ROLLBACK', timeoutMs: MIN_STATEMENT_TIMEOUT_MS });
  } catch {
    destroyConnection(connection);
  }
}

/** Runs `work` like a transaction within a transaction. Deferred constraints are checked at its end. */
export async function inSavepoint<T>(connection: Client, sql: Sql, work: () => Promise<T>): Promise<T> {
  await sql.run('SAVEPOINT part');
  try {
    const result = await work();
    await sql.run('SET CONSTRAINTS ALL IMMEDIATE');
    await sql.run('RELEASE SAVEPOINT part');
    return result;
  } catch (error) {
    if (!isRetired(connection)) await sql.run('ROLLBACK TO SAVEPOINT part');
    throw error;
  }
}
