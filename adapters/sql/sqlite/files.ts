import { chmodSync, closeSync, existsSync, lstatSync, openSync, realpathSync } from 'node:fs';

/** What SQLite and the service keep beside a database; the key file has a guard of its own. */
const SUFFIXES = ['', '-wal', '-shm', '-journal', '.lock', '.deployment'];
const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

/** A file that others could read or write. */
export interface OpenFile {
  readonly file: string;
  /** False: its mode could not be changed. */
  readonly isClosed: boolean;
}

/**
 * Makes an empty file for its owner alone, where there is none: SQLite would make one that the umask decides about,
 * and gives the files beside it the mode of the database. An existing one is not touched, not even opened: closing
 * it would end the locks that this process holds on it.
 */
export function makeOwnFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', OWNER_ONLY));
  } catch {
    // It is there already; or it can't be made, and SQLite says so.
  }
}

/**
 * Removes all access to the files of this database except the owner's. A link to the database is
 * followed, as SQLite follows it; links beside it are not. Windows has no such modes.
 */
export function closeFiles(file: string): readonly OpenFile[] {
  if (process.platform === 'win32' || !existsSync(file)) return [];
  const real = realpathSync(file);
  return SUFFIXES.map((suffix) => `${real}${suffix}`)
    .filter(isOpenToOthers)
    .map((open) => ({ file: open, isClosed: close(open) }));
}

function isOpenToOthers(file: string): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found?.isFile() === true && (found.mode & OTHERS) !== 0;
}

function close(file: string): boolean {
  try {
    chmodSync(file, OWNER_ONLY);
    return true;
  } catch {
    return false;
  }
}
