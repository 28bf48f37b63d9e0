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

export type Pool<Connection extends object> = ReturnType<typeof createPool<Connection>>;

/** The connections of one role. Each is lent to one caller at a time. */
export function createPool<Connection extends object>(driver: Driver<Connection>, options: PoolOptions) {
  const { max, timeoutMs, maxWaiting, keepsReleased } = options;
  const connections = knex({
    // Keeps values (such as hashes) out of error messages.
    compileSqlOnError: false,
    acquireConnectionTimeout: timeoutMs,
    log: { debug() {}, warn() {}, error() {}, deprecate() {} },
    ...driver.knex,
    pool: { min: 0, max, ...driver.knex.pool, afterCreate: setUp(driver) },
  });
  const { client } = connections;
  /** The number of callers that have a connection or wait for one. */
  let callers = 0;
  /** Callers that wait for a release, because the server accepts no more connections, the first one first. */
  const waiting = new Set<() => void>();
  /** Until then, the server is not asked for more connections while some are in use. */
  let fullUntil = 0;
  /** Connections that knex has lent and no caller uses. */
  let kept: Connection[] = [];
  let returnTimer: NodeJS.Timeout | undefined;
  const leaving = new Set<Promise<void>>();

  /** The caller must give the connection back with `release`, once. */
  async function acquire(deadline = performance.now() + timeoutMs): Promise<Connection> {
    if (callers >= max + maxWaiting) throw new Unavailable('Too many requests wait for the database.');
    callers += 1;
    try {
      for (;;) {
        const obtained = takeReady() ?? (await obtain(deadline));
        if (obtained !== null) return obtained;
        await whenReleased();
      }
    } catch (error) {
      callers -= 1;
      throw error;
    }
  }

  function takeReady(): Connection | null {
    for (let ready = kept.pop(); ready !== undefined; ready = kept.pop()) {
      if (!isRetired(ready)) return ready;
      void giveBack(ready);
    }
    return null;
  }

  /** Null if the server accepts fewer connections than this pool may have, and waiting may help. */
  async function obtain(deadline: number): Promise<Connection | null> {
    const isFull = performance.now() < fullUntil && client.pool.numFree() === 0 && client.pool.numUsed() > 0;
    try {
      if (!isFull) return (await driver.obtain(() => take(deadline), deadline)) as Connection;
    } catch (error) {
      if (driver.isFull?.(error) !== true || performance.now() + RETRY_MS > deadline) throw error;
      fullUntil = performance.now() + FULL_MS;
      return null;
    }
    if (performance.now() > deadline) throw new Unavailable('The database has no free connection.');
    return null;
  }

  /** Resolves when a connection is released, or after a while, because other clients of the server release theirs too. */
  function whenReleased(): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, RETRY_MS);
      waiting.add(wake);
    });
  }

  /** Takes a connection from knex. One that arrives after the deadline goes back at once. */
  async function take(deadline: number): Promise<unknown> {
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

  async function release(connection: Connection): Promise<void> {
    await putBack(connection);
    const [wake] = waiting;
    wake?.();
  }

  async function putBack(connection: Connection): Promise<void> {
    callers -= 1;
    if (isRetired(connection)) return void giveBack(connection);
    if (!keepsReleased || client.pool.numPendingAcquires() > 0) return client.releaseConnection(connection);
    kept.push(connection);
    returnTimer ??= setTimeout(() => returnReady(), READY_MS).unref();
  }

  /** A retired connection keeps its place in the pool until it is gone: there are never more than `max`. */
  async function giveBack(retired: Connection): Promise<void> {
    const gone = driver.leave?.(retired);
    if (gone !== undefined) {
      leaving.add(gone);
      await gone;
      leaving.delete(gone);
    }
    await client.releaseConnection(retired);
  }

  async function returnReady(): Promise<void> {
    clearTimeout(returnTimer);
    returnTimer = undefined;
    const ready = kept;
    kept = [];
    for (const connection of ready) await client.releaseConnection(connection);
  }

  /** Runs `work` with a connection, and takes the connection back. */
  function lend<T>(work: (connection: Connection, deadline: number) => Promise<T>): Promise<T> {
    return withDeadline(timeoutMs, async (deadline) => {
      const connection = await acquire(deadline);
      try {
        return await work(connection, deadline);
      } finally {
        await release(connection);
      }
    });
  }

  async function migrate(options: MigrateOptions = {}): Promise<readonly string[]> {
    try {
      return await driver.migrate(connections, options);
    } catch (error) {
      throw driver.translateError(error);
    }
  }

  function state(role: string): PoolState {
    const ready = kept.length;
    const [used, free] = [client.pool.numUsed() - ready, client.pool.numFree() + ready];
    return { role, used, free, waiting: client.pool.numPendingAcquires() };
  }

  async function close(): Promise<void> {
    const timer = setTimeout(() => driver.forget?.(), LEAVE_TIMEOUT_MS);
    await returnReady();
    await Promise.all(leaving);
    await connections.destroy();
    clearTimeout(timer);
  }

  return { acquire, release, lend, migrate, state, close };
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
