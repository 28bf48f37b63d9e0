import { Unavailable } from '@rollcall/core';
import {
  closeFiles,
  type Database,
  isMisconfigured,
  openDatabase,
  type ReplicaOptions,
} from '#adapters/sql/index.js';
import type { Log } from '#adapters/system/log.js';
import { ConfigurationError } from './config/configuration-error.js';
import type { ConfiguredReplica } from './config/database-url.js';
import type { Config } from './config.js';
import { say } from './terminal.js';

/**
 * The database of the configuration. That it cannot be opened is told with what named it: as a mistake, or as
 * `Unavailable` where waiting may help. With a `log`, which hears of the changes, others are served, and exports are
 * read from the replica, if there is one.
 */
export async function openConfigured(
  { database, replica = null }: Pick<Config, 'database'> & Partial<Pick<Config, 'replica'>>,
  { log = null, source = 'DATABASE_URL' }: { readonly log?: Log | null; readonly source?: string } = {},
): Promise<Database> {
  try {
    const opened = await openDatabase(
      database.engine === 'sqlite' ? `sqlite:${database.file}` : database.connection.reveal(),
      log === null ? { serves: false } : replica === null ? {} : { replica: watched(replica, log) },
    );
    // Not before: a mistake in the address must not change the mode of a file that is no database.
    if (database.engine === 'sqlite') closeToOthers(database.file, log);
    return opened;
  } catch (error) {
    if (!(error instanceof Unavailable) && !isFileTrouble(error)) throw error;
    throw notOpened(error, { source, url: database.url });
  }
}

/** Tells of each file that others could read: where there is a log there, else on standard error. */
function closeToOthers(database: string, log: Log | null): void {
  for (const { file, isClosed } of closeFiles(database)) {
    const what = isClosed ? 'Others could read' : 'Others can read';
    const now = isClosed ? 'its mode is 0600 now' : 'its mode could not be changed; set it to 0600';
    if (log === null) say(`${what} ${file}: ${now}.`);
    else log.warn({ file }, `${what} a file of the database: ${now}`);
  }
}

/** With one line of why a database, or what lies beside it, cannot be opened. */
export function notOpened(
  error: unknown,
  { source, url }: { readonly source: string; readonly url: string },
): Error {
  const message = `${url} cannot be opened: ${reasonOf(error)}`;
  return isMisconfigured(error)
    ? new ConfigurationError([{ name: source, message }])
    : new Unavailable(`${source}: ${message}.`, { cause: error });
}

function watched({ url, connection, maxLagSeconds }: ConfiguredReplica, log: Log): ReplicaOptions {
  return {
    url: connection.reveal(),
    maxLagMs: maxLagSeconds * 1000,
    onChange(state, reason) {
      if (state === 'serving') log.info({ replica: url }, 'Exports are read from the replica again');
      else {
        const why = state === 'away' ? { reason: reasonOf(reason) } : {};
        log.warn({ replica: url, state, ...why }, 'Exports are read from the primary database');
      }
    },
  };
}

/** The file is no database, or SQLite can't read it. */
function isFileTrouble(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_');
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  // Where a name has several addresses that all refuse, Node gives a code and no message.
  const reason = cause.message === '' && 'code' in cause ? String(cause.code) : cause.message;
  return `${error.message} (${reason})`;
}
