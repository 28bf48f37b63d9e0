import KnexClient from 'knex/lib/dialects/postgres/index.js';
import type { Client } from 'pg';
import { isRetired, retireConnection } from '../engine/retired-connections.js';

/** Knex's client for PostgreSQL. Its pool replaces connections that are retired or have ended. */
export class PostgresKnexClient extends KnexClient {
  override async acquireRawConnection(): Promise<Client> {
    const connection: Client = await super.acquireRawConnection();
    const retire = (): void => retireConnection(connection);
    connection.on('error', retire);
    connection.on('end', retire);
    return connection;
  }

  override async validateConnection(connection: Client): Promise<boolean> {
    return !isRetired(connection);
  }
}
