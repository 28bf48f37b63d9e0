import { assertTablesAreOurs } from '../migrations/foreign-tables.js';
import { ownTablesText } from '../migrations/own-tables.js';
import type { Connection } from './connection.js';

export const HAS_TABLE = `SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`;
/** SQLite does not distinguish `Users` from `users`. */
const NAMES_LIKE_OURS = `SELECT name FROM sqlite_schema WHERE lower(name) IN (${ownTablesText}) ORDER BY name`;

/**
 * Closes the connection and throws `Misconfigured` if another application has the file. Reads all in one snapshot, because
 * another process may be creating our tables.
 */
export async function assertOwnFile(connection: Connection): Promise<void> {
  try {
    connection.exec('BEGIN');
    const names = connection.prepare(NAMES_LIKE_OURS).pluck().all() as string[];
    await assertTablesAreOurs({
      names,
      hasTable: async (table) => connection.prepare(HAS_TABLE).get(table) !== undefined,
      all: async (text) => connection.prepare(text).all() as { name: string }[],
      message: (taken) =>
        `The file has tables of another application with names that Rollcall needs: ${taken}. Choose another file.`,
    });
    connection.exec('ROLLBACK');
  } catch (error) {
    connection.close();
    throw error;
  }
}
