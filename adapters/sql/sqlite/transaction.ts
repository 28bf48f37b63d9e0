import { retireConnection } from '../engine/retired-connections.js';
import { type Connection, statement } from './connection.js';
import { runOrWait } from './retry-while-busy.js';

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

/** Rolls back, unless SQLite already has after an error. A connection that can't roll back is not used again. */
export function rollBack(connection: Connection): void {
  if (!connection.inTransaction) return;
  try {
    statement(connection, 'ROLLBACK').run();
  } catch {
    retireConnection(connection);
  }
}
