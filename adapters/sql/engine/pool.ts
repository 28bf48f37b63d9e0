import { Unavailable } from '@rollcall/core';
import knexPackage, { type Knex } from 'knex';
import type { Engine, MigrateOptions, PoolState, Snapshot, Sql, WantedSnapshot } from './database.js';
import { waiting } from './deadline.js';
import { ExportPlaces } from './export-places.js';

// A CommonJS package without named exports at run time.
const { knex } = knexPackage;

/** In what the engines differ. `until` is a time of `performance.now()`, when a caller's patience ends. */
export interface Driver<Connection> {
  readonly engine: Engine;
  /** Knex's `client`, `connection` and what of its `pool` is the engine's own. */
  readonly knex: Knex.Config;
  /** Prepares a new connection for its role. */
  setUp(connection: Connection): Promise<void> | void;
  /** Takes a connection with `take`, as often as waiting helps; throws `Unavailable` when there is none. */
  obtain(take: () => Promise<unknown>, until: number): Promise<unknown>;
  /** A transaction that may write: committed when it answers, nothing kept when `work` throws. */
  inTransaction<T>(connection: Connection, until: number, work: () => Promise<T>): Promise<T>;
  /** `use` gives the connection, or throws where it may not be used any more. */
  sqlOn(use: () => Connection, until: number): Sql;
  /** Brings the schema up to date, and says which migrations it ran. */
  migrate(knex: Knex, options: MigrateOptions): Promise<readonly string[]>;
  /** What a passing trouble is to the caller. */
  translated(error: unknown): unknown;
}

export interface PoolOptions {
  /** Connections at once. */
  readonly max: number;
  /** Milliseconds to wait for a connection before it is `Unavailable`. */
  readonly patience: number;
  /** How many may wait; whoever comes later is told at once. */
  readonly mostWaiting: number;
  /** Whether those that come back stay at hand: knex takes as long to lend one as a short statement takes. */
  readonly keeps?: boolean;
}

/** Milliseconds after which what was kept at hand goes back to knex, which closes what is not used. */
const KEPT = 1000;

/** Milliseconds that a free connection needs to be lent to somebody who has no patience left. */
const SHORTEST_WAIT = 50;

/** Connections of one role, lent to one at a time. */
export class Pool<Connection> {
  readonly #driver: Driver<Connection>;
  readonly #options: PoolOptions;
  readonly #knex: Knex;
  /** Those who have a connection or wait for one. */
  #callers = 0;
  /** Lent by knex, and free. */
  #kept: Connection[] = [];
  #letGo: NodeJS.Timeout | null = null;

  constructor(driver: Driver<Connection>, options: PoolOptions) {
    this.#driver = driver;
    this.#options = options;
    this.#knex = knex({
      // An error's message would hold the values, hashes among them.
      compileSqlOnError: false,
      acquireConnectionTimeout: options.patience,
      log: { debug() {}, warn() {}, error() {}, deprecate() {} },
      ...driver.knex,
      pool: { min: 0, max: options.max, ...driver.knex.pool, afterCreate: setUp(driver) },
    });
  }

  /** Whoever gets a connection gives it back with `release`, once. */
  async acquire(until = performance.now() + this.#options.patience): Promise<Connection> {
    const { max, mostWaiting } = this.#options;
    if (this.#callers >= max + mostWaiting) throw new Unavailable('Too many wait for the database already.');
    this.#callers += 1;
    for (let kept = this.#kept.pop(); kept !== undefined; kept = this.#kept.pop()) {
      if (isUsable(kept)) return kept;
      void this.#knex.client.releaseConnection(kept);
    }
    try {
      const take = () => this.#take(until);
      return (await this.#driver.obtain(take, until)) as Connection;
    } catch (error) {
      this.#callers -= 1;
      throw error;
    }
  }

  /** A connection that comes too late goes back at once. */
  async #take(until: number): Promise<unknown> {
    const { client } = this.#knex;
    let isLate = false;
    const taken = client.acquireConnection().then((connection: unknown) => {
      if (isLate) void client.releaseConnection(connection);
      return connection;
    });
    let impatient: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const giveUp = (): void => {
        isLate = true;
        reject(new Unavailable('The database has no free connection.'));
      };
      impatient = setTimeout(giveUp, Math.max(until - performance.now(), SHORTEST_WAIT));
    });
    try {
      return await Promise.race([taken, late]);
    } finally {
      clearTimeout(impatient);
    }
  }

  async release(connection: Connection): Promise<void> {
    this.#callers -= 1;
    const { pool } = this.#knex.client;
    if (!this.#options.keeps || !isUsable(connection) || pool.numPendingAcquires() > 0)
      return this.#knex.client.releaseConnection(connection);
    this.#kept.push(connection);
    this.#letGo ??= setTimeout(() => this.#letGoOfKept(), KEPT).unref();
  }

  async #letGoOfKept(): Promise<void> {
    if (this.#letGo !== null) clearTimeout(this.#letGo);
    this.#letGo = null;
    const kept = this.#kept;
    this.#kept = [];
    for (const connection of kept) await this.#knex.client.releaseConnection(connection);
  }

  /** `until`: when the patience of this caller ends. */
  lend<T>(work: (connection: Connection, until: number) => Promise<T>): Promise<T> {
    return waiting(this.#options.patience, async (until) => {
      const connection = await this.acquire(until);
      try {
        return await work(connection, until);
      } finally {
        await this.release(connection);
      }
    });
  }

  /** The handle refuses after the end, so that nothing of this transaction slips into the next one. */
  write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.lend(async (connection, until) => {
      let over = false;
      const use = () => {
        if (over) throw new Error('the transaction of this handle has ended');
        return connection;
      };
      try {
        return await this.#driver.inTransaction(connection, until, () =>
          work(this.#driver.sqlOn(use, until)),
        );
      } finally {
        over = true;
      }
    });
  }

  async migrate(options: MigrateOptions = {}): Promise<readonly string[]> {
    try {
      return await this.#driver.migrate(this.#knex, options);
    } catch (error) {
      throw this.#driver.translated(error);
    }
  }

  /** The connections as they are at this moment. */
  state(role: string): PoolState {
    const { pool } = this.#knex.client;
    const kept = this.#kept.length;
    const [used, free] = [pool.numUsed() - kept, pool.numFree() + kept];
    return { role, used, free, waiting: pool.numPendingAcquires() };
  }

  async close(): Promise<void> {
    await this.#letGoOfKept();
    await this.#knex.destroy();
  }
}

/** Knex marks what must not be used again. */
function isUsable(connection: unknown): boolean {
  return (connection as { readonly __knex__disposed?: unknown }).__knex__disposed === undefined;
}

/** As knex asks for it. */
function setUp<Connection>(driver: Driver<Connection>) {
  return (connection: Connection, done: (error: unknown, connection: Connection) => void): void => {
    const prepared = async () => driver.setUp(connection);
    prepared().then(
      () => done(null, connection),
      (error: unknown) => done(error, connection),
    );
  };
}

/** A pool for one work, closed after it. */
export async function withPool<Connection, T>(
  pool: Pool<Connection>,
  work: (pool: Pool<Connection>) => Promise<T>,
): Promise<T> {
  try {
    return await work(pool);
  } finally {
    await pool.close();
  }
}

/** Snapshots that are open, so that closing gives them up and no organization has too many of them. */
export class OpenSnapshots {
  readonly #open = new Set<Snapshot>();
  readonly #places: ExportPlaces;

  /** `patience` is how many milliseconds a caller waits for the database. */
  constructor(patience: number) {
    this.#places = new ExportPlaces(patience);
  }

  /** Opens one with `open`, in a place of the organization that it is for, if there is one. */
  async add({ organizationId }: WantedSnapshot, open: () => Promise<Snapshot>): Promise<Snapshot> {
    const leave = organizationId === undefined ? () => {} : await this.#places.take(organizationId);
    try {
      return this.#keep(await open(), leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  #keep(opened: Snapshot, leave: () => void): Snapshot {
    const snapshot = {
      ...opened,
      release: async () => {
        this.#open.delete(snapshot);
        await opened.release();
        leave();
      },
    };
    this.#open.add(snapshot);
    return snapshot;
  }

  async release(): Promise<void> {
    await Promise.all([...this.#open].map((snapshot) => snapshot.release()));
  }
}
