import { Unavailable } from '@rollcall/core';
import knexPackage, { type Knex } from 'knex';
import type { Engine, MigrateOptions, PoolState } from './database.js';
import { withDeadline, within } from './deadline.js';
import { isRetired } from './retired-connections.js';

// A CommonJS package without named exports at run time.
const { knex } = knexPackage;

/** The differences between the engines. A `deadline` is a time of `performance.now()`. */
export interface Driver<Connection extends object> {
  readonly engine: Engine;
  /** Knex's `client` and `connection`, and the `pool` settings that only this engine needs. */
  readonly knex: Knex.Config;
  /** Prepares a new connection for its role. */
  setUp(connection: Connection): Promise<void> | void;
  /** Calls `take` until it returns a connection, for as long as waiting can help. Then throws `Unavailable`. */
  obtain(take: () => Promise<unknown>, deadline: number): Promise<unknown>;
  /** Ends a retired connection. Resolves when another one may take its place. By default, that is at once. */
  leave?(connection: Connection): Promise<void>;
  /** No longer waits for what `leave` waits for. */
  forget?(): void;
  /** Brings the schema up to date, and returns the names of the migrations it ran. */
  migrate(knex: Knex, options: MigrateOptions): Promise<readonly string[]>;
  /** Whether the server accepts no more connections at the moment. */
  isFull?(error: unknown): boolean;
  /** Turns an error that will pass into `Unavailable`; returns any other error as it is. */
  translateError(error: unknown): unknown;
}

export interface PoolOptions {
  /** Connections at once. */
  readonly max: number;
  /** Milliseconds to wait for a connection before `Unavailable` is thrown. */
  readonly timeoutMs: number;
  /** Callers that may wait. Further ones get `Unavailable` at once. */
  readonly maxWaiting: number;
  /** Keeps released connections ready for a while. Lending one through knex takes as long as a short query. */
  readonly keepsReleased?: boolean;
}

/** How long a caller waits for a release before it tries again. */
const RETRY_MS = 250;
/** How long a server that accepts no more connections is believed. */
const FULL_MS = 1_000;
/** Released connections go back to knex after this time. Knex closes those that are not used. */
const READY_MS = 1000;

/** How long closing waits for connections that the other side has to end. */
const LEAVE_TIMEOUT_MS = 2_000;

/** The connections of one role. Each is lent to one caller at a time. */
export class Pool<Connection extends object> {
  readonly #driver: Driver<Connection>;
  readonly #options: PoolOptions;
  readonly #knex: Knex;
  /** The number of callers that have a connection or wait for one. */
  #callers = 0;
  /** Callers that wait for a release, because the server accepts no more connections, the first one first. */
  readonly #waiting = new Set<() => void>();
  /** Until then, the server is not asked for more connections while some are in use. */
  #fullUntil = 0;
  /** Connections that knex has lent and no caller uses. */
  #ready: Connection[] = [];
  #timer: NodeJS.Timeout | null = null;
  readonly #leaving = new Set<Promise<void>>();

  constructor(driver: Driver<Connection>, options: PoolOptions) {
    this.#driver = driver;
    this.#options = options;
    this.#knex = knex({
      // Keeps values (such as hashes) out of error messages.
      compileSqlOnError: false,
      acquireConnectionTimeout: options.timeoutMs,
      log: { debug() {}, warn() {}, error() {}, deprecate() {} },
      ...driver.knex,
      pool: { min: 0, max: options.max, ...driver.knex.pool, afterCreate: setUp(driver) },
    });
  }

  /** The caller must give the connection back with `release`, once. */
  async acquire(deadline = performance.now() + this.#options.timeoutMs): Promise<Connection> {
    const { max, maxWaiting } = this.#options;
    if (this.#callers >= max + maxWaiting) throw new Unavailable('Too many requests wait for the database.');
    this.#callers += 1;
    try {
      for (;;) {
        const obtained = this.#takeReady() ?? (await this.#obtain(deadline));
        if (obtained !== null) return obtained;
        await this.#whenReleased();
      }
    } catch (error) {
      this.#callers -= 1;
      throw error;
    }
  }

  #takeReady(): Connection | null {
    for (let ready = this.#ready.pop(); ready !== undefined; ready = this.#ready.pop()) {
      if (!isRetired(ready)) return ready;
      void this.#giveBack(ready);
    }
    return null;
  }

  /** Null if the server accepts fewer connections than this pool may have, and waiting may help. */
  async #obtain(deadline: number): Promise<Connection | null> {
    const { pool } = this.#knex.client;
    const isFull = performance.now() < this.#fullUntil && pool.numFree() === 0 && pool.numUsed() > 0;
    try {
      if (!isFull) return (await this.#driver.obtain(() => this.#take(deadline), deadline)) as Connection;
    } catch (error) {
      if (this.#driver.isFull?.(error) !== true || performance.now() + RETRY_MS > deadline) throw error;
      this.#fullUntil = performance.now() + FULL_MS;
      return null;
    }
    if (performance.now() > deadline) throw new Unavailable('The database has no free connection.');
    return null;
  }

  /** Resolves when a connection is released, or after a while, because other clients of the server release theirs too. */
  #whenReleased(): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, RETRY_MS);
      this.#waiting.add(wake);
    });
  }

  /** Takes a connection from knex. One that arrives after the deadline goes back at once. */
  async #take(deadline: number): Promise<unknown> {
    const { client } = this.#knex;
    let isLate = false;
    const taken = client.acquireConnection().then((connection: unknown) => {
      if (isLate) void client.releaseConnection(connection);
      return connection;
    });
    return within(deadline, taken, () => {
      isLate = true;
      return new Unavailable('The database has no free connection.');
    });
  }

  async release(connection: Connection): Promise<void> {
    await this.#putBack(connection);
    const [wake] = this.#waiting;
    wake?.();
  }

  async #putBack(connection: Connection): Promise<void> {
    this.#callers -= 1;
    const { pool } = this.#knex.client;
    if (isRetired(connection)) return void this.#giveBack(connection);
    if (!this.#options.keepsReleased || pool.numPendingAcquires() > 0)
      return this.#knex.client.releaseConnection(connection);
    this.#ready.push(connection);
    this.#timer ??= setTimeout(() => this.#returnReady(), READY_MS).unref();
  }

  /** A retired connection keeps its place in the pool until it is gone: there are never more than `max`. */
  async #giveBack(retired: Connection): Promise<void> {
    const gone = this.#driver.leave?.(retired);
    if (gone !== undefined) {
      this.#leaving.add(gone);
      await gone;
      this.#leaving.delete(gone);
    }
    await this.#knex.client.releaseConnection(retired);
  }

  async #returnReady(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const ready = this.#ready;
    this.#ready = [];
    for (const connection of ready) await this.#knex.client.releaseConnection(connection);
  }

  /** Runs `work` with a connection, and takes the connection back. */
  lend<T>(work: (connection: Connection, deadline: number) => Promise<T>): Promise<T> {
    return withDeadline(this.#options.timeoutMs, async (deadline) => {
      const connection = await this.acquire(deadline);
      try {
        return await work(connection, deadline);
      } finally {
        await this.release(connection);
      }
    });
  }

  async migrate(options: MigrateOptions = {}): Promise<readonly string[]> {
    try {
      return await this.#driver.migrate(this.#knex, options);
    } catch (error) {
      throw this.#driver.translateError(error);
    }
  }

  state(role: string): PoolState {
    const { pool } = this.#knex.client;
    const ready = this.#ready.length;
    const [used, free] = [pool.numUsed() - ready, pool.numFree() + ready];
    return { role, used, free, waiting: pool.numPendingAcquires() };
  }

  async close(): Promise<void> {
    const timer = setTimeout(() => this.#driver.forget?.(), LEAVE_TIMEOUT_MS);
    await this.#returnReady();
    await Promise.all(this.#leaving);
    await this.#knex.destroy();
    clearTimeout(timer);
  }
}

/** Sets up new connections, as a callback for knex's `afterCreate`. */
function setUp<Connection extends object>(driver: Driver<Connection>) {
  return (connection: Connection, done: (error: unknown, connection: Connection) => void): void => {
    const prepared = async () => driver.setUp(connection);
    prepared().then(
      () => done(null, connection),
      (error: unknown) => done(error, connection),
    );
  };
}

/** Runs `work` with the pool, and closes the pool afterwards. */
export async function withPool<Connection extends object, T>(
  pool: Pool<Connection>,
  work: (pool: Pool<Connection>) => Promise<T>,
): Promise<T> {
  try {
    return await work(pool);
  } finally {
    await pool.close();
  }
}
