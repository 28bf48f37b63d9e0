import type SqliteDatabase from 'better-sqlite3';
import { sqliteDriver } from './driver.js';
import { translateError } from './errors.js';
import { makeOwnFile } from './files.js';

/**
 * The right to send webhooks from this SQLite file, held by one process: a lock on a file beside the database
 * which ends with its holder, however that ends. Null when another process has it.
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
