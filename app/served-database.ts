import { Unavailable } from '@rollcall/core';
import type { Logger } from '@rollcall/node';
import { type Database, holdSenderLock, type PostgresPool } from '@rollcall/sql';
import { ConfigurationError } from './config/configuration-error.js';
import type { Config } from './config.js';
import { Failure } from './failure.js';
import { openConfiguredDatabase, openingError } from './open-configured-database.js';

/** A database that this process may serve, with an up-to-date schema. */
export interface ServedDatabase {
  readonly database: Database;
  close(): Promise<void>;
}

export interface ServeDatabase {
  readonly config: Config;
  readonly log: Logger;
  /** Applies pending migrations. If false, the service does not start while any are pending. */
  readonly migrate: boolean;
  /** The host's pool, which connects as the configuration cannot say. */
  readonly pool?: PostgresPool | undefined;
  /** The setting or option that names the database in errors. */
  readonly source?: string;
}

/** The configuration for the log, where the bytes of the logo would fill a hundred pages. */
function withoutImage({ brand, ...config }: Config): object {
  const logo = brand.logo && { type: brand.logo.type, bytes: brand.logo.body.length };
  return { ...config, brand: { ...brand, logo } };
}

/** Takes the lock of an SQLite file, opens the database and brings its schema up to date. */
export async function openServedDatabase({
  config,
  log,
  migrate,
  pool,
  source = 'DATABASE_URL',
}: ServeDatabase): Promise<ServedDatabase> {
  const lock = await lockSender(config, source);
  try {
    log.info({ configuration: withoutImage(config) }, 'Starting');
    const database = await openConfiguredDatabase(config, { log, source, pool });
    try {
      await updateSchema({ database, migrate, log });
      await requireRights(database, source);
    } catch (error) {
      await database.close();
      throw error;
    }
    return {
      database,
      async close() {
        await database.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

interface Lock {
  release(): void;
}

/** Several processes may serve one PostgreSQL database, because only one of them claims each delivery. */
async function lockSender({ database }: Config, source: string): Promise<Lock> {
  if (database.engine === 'postgres') return { release() {} };
  const { url, file } = database;
  const lock = await holdSenderLock(file).catch((error: unknown) => {
    if (!(error instanceof Unavailable)) throw error;
    throw openingError(error, { source, url: `the lock file beside ${url}` });
  });
  if (lock !== null) return lock;
  throw new Failure(
    `Another process serves ${url} already, and only one can serve an SQLite file. Stop it first.`,
  );
}

/** Otherwise a missing right would show only when the first request needs it. */
async function requireRights(database: Database, source: string): Promise<void> {
  const missing = await database.missingRights();
  if (missing.length === 0) return;
  const message = `the role lacks rights. Run as an administrator: ${missing.join(' ')}`;
  throw new ConfigurationError([{ name: source, message }]);
}

async function updateSchema({
  database,
  migrate,
  log,
}: Pick<ServeDatabase, 'migrate' | 'log'> & { readonly database: Database }): Promise<void> {
  if (migrate) {
    const applied = await database.migrate({ onWait: (text) => log.warn({}, text) });
    if (applied.length > 0) log.info({ applied }, 'Migrations applied');
    return;
  }
  const pending = await database.pendingMigrations();
  if (pending.length === 0) return;
  throw new Failure(`Migrations are pending: ${pending.join(', ')}. Run: rollcall migrate`);
}
