import type { Database, EngineSql, WriteOptions } from '../engine/database.js';
import { newsOf } from './delivery-news.js';
import type { Waiting } from './waiting.js';

/** The statements of one transaction. */
export interface Transaction extends EngineSql {
  /** Call it for each delivery that waits to be sent if the transaction is committed. */
  waits(organizationId: number, deliveryId: number): void;
}

/** The database as the stores use it. */
export interface StorageDatabase extends Database {
  write<T>(work: (sql: Transaction) => Promise<T>, options?: WriteOptions): Promise<T>;
}

/**
 * The same database. After each commit, it adds the deliveries of the transaction to `waiting`. If this process does not
 * send them, other processes are told.
 */
export function withWaiting(database: Database, waiting: Waiting): StorageDatabase {
  const { engine, news } = database;
  return {
    ...database,
    async write(work, options) {
      let first = new Map<number, number>();
      let isTold = false;
      const result = await database.write(async (sql) => {
        // A transaction that is repeated stores its deliveries again.
        first = new Map();
        const waits = (organizationId: number, deliveryId: number): void => {
          first.set(organizationId, Math.min(first.get(organizationId) ?? deliveryId, deliveryId));
        };
        const result = await work({ ...sql, engine, waits });
        isTold = first.size > 0 && !waiting.areTaken();
        if (isTold) await news.tell(sql, newsOf(first));
        return result;
      }, options);
      for (const [organizationId, deliveryId] of first) waiting.add(organizationId, deliveryId);
      if (isTold) news.tellCommitted();
      return result;
    },
  };
}
