import type SqliteDatabase from 'better-sqlite3';
import { sqliteDriver } from './driver.js';
import { translateError } from './errors.js';
import { makeOwnFile } from './files.js';

/**
 * Takes the right to send webhooks from this SQLite file, which only one process has: a lock on a file beside the
 * database. The lock ends with its holder, even if that is killed. Null when another process has it.
 */
export async function holdSenderLock(path: string): Promise<{ release(): void } | null> {
  const held = lock(`${path}.lock`);
  if (held === null) return null;
  return {
    release() {
      if (held.open) held.close();
    },
  };
}

function lock(path: string): SqliteDatabase.Database | null {
  const Driver = sqliteDriver();
  let connection: SqliteDatabase.Database | null = null;
  try {
    makeOwnFile(path);
    connection = new Driver(path, { timeout: 0 });
    connection.exec('BEGIN EXCLUSIVE');
    return connection;
  } catch (error) {
    connection?.close();
    if (error instanceof Driver.SqliteError && error.code.startsWith('SQLITE_BUSY')) return null;
    throw translateError(error);
  }
}
