import { Unavailable } from '@rollcall/core';
import { adviceFor, codeOf, type Login, reasonOf } from './refusals.js';

/** Whether a statement violated a constraint of the schema. */
export function isPostgresConstraintError(error: unknown): boolean {
  return /^23\w{3}$/.test(codeOf(error));
}

/** Whether a lock was held for longer than `lock_timeout`, or two transactions waited for each other. */
export function isPostgresLockTimeout(error: unknown): boolean {
  const code = codeOf(error instanceof Unavailable ? error.cause : error);
  return code === '55P03' || code === '40P01';
}

/** Whether a VACUUM was called in a transaction. A pooler lends connections for single transactions, and VACUUM runs in none. */
export function isPostgresInTransaction(error: unknown): boolean {
  return codeOf(error) === '25001';
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
  if (/^(08\w{3}|57P0\d|25P0[34]|0A000|E[A-Z]{3,})$/.test(code)) return true;
  return error instanceof Error && LOST_MESSAGES.test(error.message);
}

/**
 * SQLSTATEs after which a connection is replaced, because what is wrong with it may stay: it is read-only or in a state
 * that we did not bring about (25, 55000), it has lost or mixed up its prepared statements (26, 42P05), or the server has
 * no memory for it, cannot read its files, or has found an error in itself (53200, 58, XX).
 */
const DISTRUSTED = /^(25\w{3}|26\w{3}|42P05|53200|55000|58\w{3}|XX\w{3})$/;

export function isConnectionUseless(error: unknown): boolean {
  return DISTRUSTED.test(codeOf(error)) || isConnectionLost(error);
}

/** Whether the server has answered with this error. Otherwise, the statement may still run. */
export function isAnswer(error: unknown): boolean {
  return /^[0-9A-Z]{5}$/.test(codeOf(error)) && !/^(08|E)/.test(codeOf(error));
}

export const UNREACHABLE = 'The database cannot be reached.';
export const READ_ONLY = 'The database cannot be written.';
export const WAITS_FOR_STANDBY = 'The database is waiting for a synchronous standby.';

/** A change was committed here, and the server has stopped waiting until its synchronous standbys have it. */
export class StandbyAway extends Unavailable {
  constructor() {
    super(`${WAITS_FOR_STANDBY} The outcome of the change is unknown.`, { isOutcomeUnknown: true });
  }
}

/** The error of a COMMIT. The change may have been made, unless the server says that it was not. */
export function commitError(error: unknown): unknown {
  if (!(error instanceof Unavailable) || error.isOutcomeUnknown) return error;
  const { cause } = error;
  if (isAnswer(cause) && !/^57P/.test(codeOf(cause))) return error;
  return new Unavailable(`${error.message} The outcome of the change is unknown.`, {
    isOutcomeUnknown: true,
    cause,
  });
}

const UNAVAILABLE: readonly (readonly [code: RegExp, message: string])[] = [
  [/^53300$/, 'The database accepts no more connections.'],
  [/^53100$/, 'The database has no space left.'],
  [/^(53\w{3}|40001|40P01|55P03|57014)$/, 'The database is busy.'],
  [/^(28\w{3}|3D000|55000)$/, 'The database refuses the connection.'],
  [/^(42501|3F000)$/, 'The database refuses access.'],
  [/^25006$/, READ_ONLY],
  [/^(58\w{3}|XX\w{3})$/, 'The database cannot be read or written.'],
];

/**
 * Turns an error that a working server would not give into `Unavailable`, with its cause for the log, and with what to do
 * if `login` is refused. Returns other errors as they are.
 */
export function translateError(error: unknown, login: Login = {}): unknown {
  const found = UNAVAILABLE.find(([code]) => code.test(codeOf(error)));
  const advice = adviceFor(error, login);
  const what = found?.[1] ?? (advice === null ? null : 'The database refuses access.');
  if (what !== null) {
    return new Unavailable(advice === null ? what : `${what.slice(0, -1)}: ${reasonOf(error)}. ${advice}`, {
      cause: error,
    });
  }
  if (!isConnectionLost(error)) return error;
  return new Unavailable(UNREACHABLE, { cause: error });
}

/** Turns any failure to connect into `Unavailable`: whatever the reason, the caller can only try later. */
export function asUnavailable(cause: unknown, login: Login = {}): Unavailable {
  const error = translateError(cause, login);
  if (error instanceof Unavailable) return error;
  if (cause instanceof Error && cause.name === 'KnexTimeoutError')
    return new Unavailable('The database has no free connection.', { cause });
  return new Unavailable(UNREACHABLE, { cause });
}
