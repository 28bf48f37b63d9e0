import { existsSync } from 'node:fs';
import { Unavailable } from '@rollcall/core';
import type { Logger } from '@rollcall/node';
import {
  type Database,
  type DatabaseOptions,
  isMisconfigured,
  makeFilesPrivate,
  openDatabase,
  type PostgresPool,
  type ReplicaOptions,
} from '@rollcall/sql';
import { ConfigurationError } from './config/configuration-error.js';
import type { ConfiguredDatabase, ConfiguredReplica } from './config/database-url.js';
import type { Config } from './config.js';
import { say } from './terminal.js';

interface Opening {
  readonly log?: Logger | null;
  /** The setting that errors name. */
  readonly source?: string;
  /** Connects instead of the URL of the configuration. */
  readonly pool?: PostgresPool | undefined;
}

/**
 * Opens the database of the configuration. With a `log`, it is opened for serving: exports are read from the replica,
 * if there is one, and the log reports when that changes. Throws a `ConfigurationError` that names `source` if the
 * database can't be opened, or `Unavailable` if trying again later may help.
 */
export async function openConfiguredDatabase(
  { database, replica = null }: Pick<Config, 'database'> & Partial<Pick<Config, 'replica'>>,
  { log = null, source = 'DATABASE_URL', pool }: Opening = {},
): Promise<Database> {
  const isNew = database.engine === 'sqlite' && !existsSync(database.file);
  try {
    const opened = await openDatabase(
      pool ?? (database.engine === 'sqlite' ? `sqlite:${database.file}` : database.connection.reveal()),
      {
        ...schemaOf(database),
        ...(log === null ? { serves: false } : replica && { replica: loggedReplica(replica, log) }),
      },
    );
    // Only after opening: a mistake in the URL must not change the mode of a file that is not a database.
    if (database.engine === 'sqlite') makePrivate(database.file, log);
    if (isNew && (log !== null || source === 'DATABASE_URL')) reportNew(database.url, log);
    return opened;
  } catch (error) {
    if (!(error instanceof Unavailable) && !isFileError(error)) throw error;
    throw openingError(error, { source, url: database.url });
  }
}

/** The option that names the schema, if the configuration does. */
export function schemaOf(database: ConfiguredDatabase): Pick<DatabaseOptions, 'schema'> {
  return database.engine === 'sqlite' || database.schema === undefined ? {} : { schema: database.schema };
}

/** A path with a typing error makes a new database, in which everything seems to be missing. */
function reportNew(url: string, log: Logger | null): void {
  if (log === null) say(`Created a new database: ${url}`);
  else log.info({ database: url }, 'Created a new database');
}

/** Makes the files private. Reports each change in the log if there is one, otherwise on standard error. */
function makePrivate(database: string, log: Logger | null): void {
  for (const { file, isPrivateNow } of makeFilesPrivate(database)) {
    const what = isPrivateNow ? 'Others could read' : 'Others can read';
    const now = isPrivateNow ? 'its mode is 0600 now' : 'its mode could not be changed; set it to 0600';
    if (log === null) say(`${what} ${file}: ${now}.`);
    else log.warn({ file }, `${what} a file of the database: ${now}`);
  }
}

/** The error for a database, or a file beside it, that cannot be opened. Its message is one line that says why. */
export function openingError(
  error: unknown,
  { source, url }: { readonly source: string; readonly url: string },
): Error {
  const message = `${url} cannot be opened: ${reasonOf(error)}`;
  return isMisconfigured(error)
    ? new ConfigurationError([{ name: source, message }])
    : new Unavailable(`${source}: ${message}.`, { cause: error });
}

function loggedReplica({ url, connection, maxLagSeconds }: ConfiguredReplica, log: Logger): ReplicaOptions {
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

/** The file is not a database, or SQLite can't read it. */
function isFileError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_');
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  // What to do about a refusal comes last, after its reason.
  if (!(cause instanceof Error) || (cause.message !== '' && error.message.includes(cause.message)))
    return error.message;
  // If a name has several addresses and all refuse, Node gives a code but no message.
  const reason = cause.message === '' && 'code' in cause ? String(cause.code) : cause.message;
  return `${error.message} (${reason})`;
}
