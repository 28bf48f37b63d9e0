import { Unavailable } from '@rollcall/core';

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Whether a statement violated a constraint of the schema. */
export function isPostgresConstraintError(error: unknown): boolean {
  return /^23\w{3}$/.test(codeOf(error));
}

/** Whether a lock was held for longer than `lock_timeout`, or two transactions waited for each other. */
export function isPostgresLockTimeout(error: unknown): boolean {
  const code = codeOf(error instanceof Unavailable ? error.cause : error);
  return code === '55P03' || code === '40P01';
}

/** Whether the server refuses connections with TLS, or accepts no others. */
export function isTlsRefused(error: unknown): boolean {
  const message = error instanceof Error ? error.message : '';
  return message === 'The server does not support SSL connections' || codeOf(error) === '28000';
}

const LOST_MESSAGES =
  /^(Connection terminated|Query read timeout|timeout expired|Client (was closed|has encountered))/;

/** Whether the connection has failed or is in an unknown state. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  // 0A000: a migration has changed the columns of a prepared statement.
  if (/^(08\w{3}|57P0\d|25P03|0A000|E[A-Z]{3,})$/.test(code)) return true;
  return error instanceof Error && LOST_MESSAGES.test(error.message);
}

const UNAVAILABLE: readonly (readonly [code: RegExp, message: string])[] = [
  [/^53100$/, 'The database has no space left.'],
  [/^(53\w{3}|40001|40P01|55P03|57014)$/, 'The database is busy.'],
  [/^(28\w{3}|3D000|42501)$/, 'The database refuses the connection.'],
  [/^25006$/, 'The database cannot be written.'],
  [/^(58\w{3}|XX\w{3})$/, 'The database cannot be read or written.'],
];

/** Turns a temporary error of the server into `Unavailable`, with its cause for the log. Returns other errors as they are. */
export function translateError(error: unknown): unknown {
  const found = UNAVAILABLE.find(([code]) => code.test(codeOf(error)));
  if (found !== undefined) return new Unavailable(found[1], { cause: error });
  if (!isConnectionLost(error)) return error;
  return new Unavailable('The database cannot be reached.', { cause: error });
}

/** Turns any failure to connect into `Unavailable`: whatever the reason, the caller can only try later. */
export function asUnavailable(cause: unknown): Unavailable {
  const error = translateError(cause);
  if (error instanceof Unavailable) return error;
  if (cause instanceof Error && cause.name === 'KnexTimeoutError')
    return new Unavailable('The database has no free connection.', { cause });
  return new Unavailable('The database cannot be reached.', { cause });
}
