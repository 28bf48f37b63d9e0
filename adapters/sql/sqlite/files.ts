import { chmodSync, closeSync, existsSync, lstatSync, openSync, realpathSync } from 'node:fs';

/** The suffixes of the database file and of those that SQLite and the service keep beside it. The key file is not one of them. */
const SUFFIXES = ['', '-wal', '-shm', '-journal', '.lock', '.deployment', '.news'];
const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

/** A file that other users of the system could read or write. */
export interface ExposedFile {
  readonly file: string;
  /** False when its mode could not be changed. */
  readonly isPrivateNow: boolean;
}

/**
 * Creates an empty file that only its owner can access, if it does not exist. SQLite would create it by the umask, and
 * gives the files beside a database the mode of the database. An existing file is not touched or even opened, because
 * closing it would end the locks that this process holds on it.
 */
export function makeOwnFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', OWNER_ONLY));
  } catch {
    // The file exists, or it can't be created and SQLite will report that.
  }
}

/**
 * Removes the access of other users to the files of this database. Returns the files that they could access. A link to
 * the database is followed, as SQLite follows it; links beside it are not. Windows has no such modes.
 */
export function makeFilesPrivate(file: string): readonly ExposedFile[] {
  if (process.platform === 'win32' || !existsSync(file)) return [];
  const real = realpathSync(file);
  return SUFFIXES.map((suffix) => `${real}${suffix}`)
    .filter(isExposed)
    .map((exposed) => ({ file: exposed, isPrivateNow: makePrivate(exposed) }));
}

function isExposed(file: string): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found?.isFile() === true && (found.mode & OTHERS) !== 0;
}

function makePrivate(file: string): boolean {
  try {
    chmodSync(file, OWNER_ONLY);
    return true;
  } catch {
    return false;
  }
}
