import KnexClient from 'knex/lib/dialects/postgres/index.js';
import pg, { type Client, type ClientConfig } from 'pg';
import { isRetired, retireConnection } from '../engine/retired-connections.js';
import { abandonConnection, leaveConnection, type Peer, setPeer } from './leaving.js';
import { replaceIfReadOnly } from './replace-if-read-only.js';
import { watchConfirmations } from './unconfirmed-commits.js';

/** The settings of pg, and ours. */
export interface ConnectionSettings extends ClientConfig {
  readonly peer?: Peer;
}

/** Knex's client for PostgreSQL. Its pool replaces connections that are retired or have ended. */
export class PostgresKnexClient extends KnexClient {
  override async acquireRawConnection(): Promise<Client> {
    const {
      peer,
      connectionTimeoutMillis = 4_000,
      ...settings
    } = this.connectionSettings as ConnectionSettings;
    const connection: Client = new pg.Client(settings);
    const retire = (): void => retireConnection(connection);
    connection.on('error', retire);
    connection.on('end', retire);
    if (peer !== undefined) setPeer(connection, peer);
    watchConfirmations(connection);
    if (!peer?.isReplica) replaceIfReadOnly(connection);
    // A server that takes the connection and does not answer may have made a process for it.
    const timer = setTimeout(
      () => abandonConnection(connection, { isRunning: false }),
      connectionTimeoutMillis,
    );
    try {
      await connection.connect();
      return connection;
    } catch (error) {
      await leaveConnection(connection);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The place of a retired connection is free when the server has ended its process. */
  override async validateConnection(connection: Client): Promise<boolean> {
    if (!isRetired(connection)) return true;
    await leaveConnection(connection);
    return false;
  }
}
