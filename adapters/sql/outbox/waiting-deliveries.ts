import type { Database, Sql, WriteOptions } from '../engine/database.js';
import type { Waiting } from './waiting.js';

/** The statements of one transaction. */
export interface Transaction extends Sql {
  /** Call it for each delivery that waits to be sent if the transaction is committed. */
  waits(organizationId: number, deliveryId: number): void;
}

/** The database as the stores use it. */
export interface StorageDatabase extends Database {
  write<T>(work: (sql: Transaction) => Promise<T>, options?: WriteOptions): Promise<T>;
}

/** The same database. After each commit, it adds the deliveries of the transaction to `waiting`. */
export function withWaiting(database: Database, waiting: Waiting): StorageDatabase {
  return {
    ...database,
    async write(work, options) {
      let deliveries: (readonly [organizationId: number, deliveryId: number])[] = [];
      const result = await database.write((sql) => {
        // A transaction that is repeated stores its deliveries again.
        deliveries = [];
        return work({ ...sql, waits: (...delivery) => deliveries.push(delivery) });
      }, options);
      for (const delivery of deliveries) waiting.add(...delivery);
      return result;
    },
  };
}
