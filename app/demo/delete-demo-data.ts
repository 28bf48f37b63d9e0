import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { holdSenderLock } from '@rollcall/sql';
import { Failure } from '../failure.js';

/** The database file, and what SQLite and the service keep beside it. */
const parts = ['', '-journal', '-wal', '-shm', '.key'];

/** Removes the data of an earlier demo. Throws if a demo still serves it. */
export async function deleteDemoData(file: string): Promise<void> {
  if (!existsSync(dirname(file))) return;
  const lock = await holdSenderLock(file);
  if (lock === null) throw new Failure(`Another process serves sqlite:${file} already. Stop it first.`);
  try {
    for (const part of parts) rmSync(`${file}${part}`, { force: true });
  } finally {
    lock.release();
  }
}
