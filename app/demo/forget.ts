import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { holdSenderLock } from '#adapters/sql/index.js';
import { Failure } from '../failure.js';

/** What SQLite and the service keep beside a database, and the database itself. */
const parts = ['', '-journal', '-wal', '-shm', '.key'];

/** Removes what an earlier demo has left in its file. Throws where a demo still serves it. */
export async function forgetDemo(file: string): Promise<void> {
  if (!existsSync(dirname(file))) return;
  const lock = await holdSenderLock(file);
  if (lock === null) throw new Failure(`Another process serves sqlite:${file} already. Stop it first.`);
  try {
    for (const part of parts) rmSync(`${file}${part}`, { force: true });
  } finally {
    lock.release();
  }
}
