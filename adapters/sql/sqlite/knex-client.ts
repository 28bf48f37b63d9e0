import KnexClient from 'knex/lib/dialects/better-sqlite3/index.js';
import { type SqliteDriver, sqliteDriver } from './driver.js';

/** Knex's client for better-sqlite3 has that package's name written in; this one has the driver of this Node. */
export class SqliteKnexClient extends KnexClient {
  protected override _driver(): SqliteDriver {
    return sqliteDriver();
  }
}
