import type { Client } from 'pg';
import type { Sql } from '../engine/database.js';
import { isRetired } from '../engine/retired-connections.js';
import { commitError } from './errors.js';
import { abandonConnection } from './leaving.js';
import { MIN_STATEMENT_TIMEOUT_MS, query, type StatementTimeout } from './query.js';
import { beginText } from './session.js';

export interface TransactionOptions {
  readonly begin: string;
  readonly timeout: StatementTimeout;
  /** For the COMMIT, by default `timeout`. */
  readonly commitTimeout?: StatementTimeout;
}

/** Commits when `work` resolves, rolls back when it throws. */
export async function inTransaction<T>(
  connection: Client,
  { begin, timeout, commitTimeout = timeout }: TransactionOptions,
  work: () => Promise<T>,
): Promise<T> {
  await query(connection, { text: beginText(connection, begin), timeoutMs: timeout() });
  try {
    const result = await work();
    const { command } = await query(connection, { text: 'COMMIT', timeoutMs: commitTimeout() }).catch(
      (error: unknown) => Promise.reject(commitError(error)),
    );
    // After a failed statement the server answers ROLLBACK here, without an error.
    if (command !== 'COMMIT')
      throw new Error('the transaction could not be committed: a statement had failed');
    return result;
  } catch (error) {
    await rollBack(connection);
    throw error;
  }
}

/** Rolls back, and gives the connection up if that fails. */
export async function rollBack(connection: Client): Promise<void> {
  if (isRetired(connection)) return;
  try {
    await query(connection, { text: 'ROLLBACK', timeoutMs: MIN_STATEMENT_TIMEOUT_MS });
  } catch {
    abandonConnection(connection);
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
