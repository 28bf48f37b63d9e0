import { realpathSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, MAX_LOG_BYTES } from './connection.js';

const TRIES = 40;
const PAUSE_MS = 50;

/**
 * Empties the write-ahead log if a load has made it large. Otherwise the next writer cuts the file, and that is the
 * thread that answers requests: 300 MB hold it up for 0.1 to 0.2 s. Gives up when another connection reads an earlier
 * state for two seconds.
 */
export async function emptyLargeLog(connection: Connection, path: string): Promise<void> {
  for (let tries = 0; tries < TRIES && logBytes(path) > MAX_LOG_BYTES; tries += 1) {
    if (tries > 0) await sleep(PAUSE_MS);
    try {
      connection.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // What was committed is safe in the log, and the next writer does the same.
      return;
    }
  }
}

function logBytes(path: string): number {
  try {
    // SQLite keeps the log beside the file itself, not beside a link to it.
    return statSync(`${realpathSync(path)}-wal`).size;
  } catch {
    return 0;
  }
}
