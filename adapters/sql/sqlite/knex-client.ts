import KnexClient from 'knex/lib/dialects/better-sqlite3/index.js';
import { isRetired } from '../engine/retired-connections.js';
import type { Connection } from './connection.js';
import { sqliteDriver } from './driver.js';

/**
 * Knex's client for better-sqlite3 loads the package of that name. This one loads the driver for the running Node, and
 * its pool replaces retired connections.
 */
export class SqliteKnexClient extends KnexClient {
  override initializeDriver(): void {
    this.driver = sqliteDriver();
  }

  override async validateConnection(connection: Connection): Promise<boolean> {
    return !isRetired(connection);
  }
}
