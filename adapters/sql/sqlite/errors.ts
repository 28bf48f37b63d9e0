import { Unavailable } from '@rollcall/core';

interface SqliteError extends Error {
  readonly code: string;
}

export function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_');
}

export function isBusy(error: unknown): boolean {
  return isSqliteError(error) && /^SQLITE_(BUSY|LOCKED)/.test(error.code);
}

/** Whether a statement violated a constraint of the schema. */
export function isSqliteConstraintError(error: unknown): boolean {
  return isSqliteError(error) && error.code.startsWith('SQLITE_CONSTRAINT');
}

const UNAVAILABLE: readonly (readonly [code: RegExp, message: string])[] = [
  [/^SQLITE_FULL/, 'The database has no space left.'],
  [/^SQLITE_IOERR/, 'The database cannot be read or written.'],
  [/^SQLITE_CANTOPEN/, 'The database cannot be opened.'],
  [/^SQLITE_READONLY/, 'The database cannot be written.'],
  [/^SQLITE_(BUSY|LOCKED)/, 'The database is busy.'],
];

/** Turns a temporary error of the file into `Unavailable`, with its cause for the log. Returns other errors as they are. */
export function translateError(error: unknown): unknown {
  if (!isSqliteError(error)) return error;
  const found = UNAVAILABLE.find(([code]) => code.test(error.code));
  return found === undefined ? error : new Unavailable(found[1], { cause: error });
}
