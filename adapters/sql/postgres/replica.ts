import { type Database, only, type Snapshot, type Sql } from '../engine/database.js';
import type { Replica, ReplicaOptions, ReplicaState } from '../engine/replica.js';

export interface WatchedReplica extends Replica {
  /** Resolves within about a second, to null when the primary must serve. */
  snapshot(): Promise<Snapshot | null>;
  close(): Promise<void>;
}

interface WatchReplica extends Omit<ReplicaOptions, 'url'> {
  readonly primary: Sql;
  readonly connect: () => Promise<Database>;
}

/** The maximum pause between two checks. Each check is one short query on either server. */
const MAX_PAUSE_MS = 5_000;
const TIMEOUT_MS = 1_000;

/** Checks the replica once before this resolves, and then regularly. An unreachable replica is not an error. */
export async function watchReplica(watch: WatchReplica): Promise<WatchedReplica> {
  const watcher = new Watcher(watch);
  await watcher.check();
  return watcher;
}

/**
 * Identifies the database. The value is the same on its primary and its replicas. No dump contains it: another server or
 * database has a different one.
 */
export const DATABASE_IDENTITY = `(SELECT system_identifier FROM pg_control_system()) || '/' ||
  (SELECT oid FROM pg_database WHERE datname = current_database())`;
const POSITION_OF_PRIMARY = `SELECT ${DATABASE_IDENTITY} AS database,
  CAST(pg_current_wal_lsn() - CAST('0/0' AS pg_lsn) AS bigint) AS position`;
const POSITION_OF_REPLICA = `SELECT ${DATABASE_IDENTITY} AS database, pg_is_in_recovery() AS follows,
  CAST(pg_last_wal_replay_lsn() - CAST('0/0' AS pg_lsn) AS bigint) AS position`;

interface Position {
  readonly database: string;
  /** The position in the write-ahead log, in bytes. */
  readonly position: number;
}

/**
 * The replica's own timestamps do not help: they stand still when nothing is written, and a replica notices late that it
 * has lost the primary. So each check reads the position of the primary, and whether the replica has reached it. If it
 * has, its data is at most as old as the check.
 */
class Watcher implements WatchedReplica {
  readonly #watch: WatchReplica;
  #database: Database | null = null;
  /** The primary's positions and when they were read, the oldest first. */
  #positions: { readonly at: number; readonly position: number }[] = [];
  /** The replica has everything that the primary had at this time of `performance.now()`. */
  #currentAt = Number.NEGATIVE_INFINITY;
  #error: unknown = null;
  #served = true;
  #timer: NodeJS.Timeout | null = null;
  #checking: Promise<void> | null = null;
  #closed = false;

  constructor(watch: WatchReplica) {
    this.#watch = watch;
  }

  state(): ReplicaState {
    if (this.#error !== null) return 'away';
    return performance.now() - this.#currentAt <= this.#watch.maxLagMs ? 'serving' : 'behind';
  }

  async snapshot(): Promise<Snapshot | null> {
    if (this.#database === null || this.state() !== 'serving') return null;
    try {
      return await startedSnapshot(this.#database);
    } catch {
      void this.check();
      return null;
    }
  }

  /** Never rejects. Only one check runs at a time. */
  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }

  async #check(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    const primary = await this.#readPrimary();
    try {
      await this.#checkReplica(primary);
      this.#error = null;
    } catch (error) {
      this.#error = error;
    }
    this.#report();
    if (this.#closed) return;
    const pause = Math.min(MAX_PAUSE_MS, this.#watch.maxLagMs / 2);
    this.#timer = setTimeout(() => void this.check(), pause).unref();
  }

  /** Null when the primary can't be reached, which says nothing about the replica. */
  async #readPrimary(): Promise<Position | null> {
    const { primary, maxLagMs } = this.#watch;
    const at = performance.now();
    try {
      const answer = only(await primary.all<Position>(POSITION_OF_PRIMARY));
      this.#positions = this.#positions.filter((earlier) => at - earlier.at <= maxLagMs);
      this.#positions.push({ at, position: answer.position });
      return answer;
    } catch {
      return null;
    }
  }

  async #checkReplica(primary: Position | null): Promise<void> {
    this.#database ??= await this.#watch.connect();
    const replica = only(
      await this.#database.read.all<Position & { readonly follows: boolean }>(POSITION_OF_REPLICA),
    );
    if (!replica.follows) throw new Error('it is no replica');
    if (primary === null) return;
    if (replica.database !== primary.database) throw new Error('it is a replica of another database');
    const reached = this.#positions.findLast(({ position }) => position <= replica.position);
    if (reached !== undefined) this.#currentAt = reached.at;
  }

  #report(): void {
    const state = this.state();
    const serves = state === 'serving';
    if (serves === this.#served) return;
    this.#served = serves;
    this.#watch.onChange?.(state, this.#error);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#checking;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#database?.close();
  }
}

/** Opens a snapshot, and checks that its connection answers. */
async function startedSnapshot(database: Database): Promise<Snapshot> {
  const snapshot = await database.snapshot();
  const timer = setTimeout(() => void snapshot.release(), TIMEOUT_MS);
  try {
    await snapshot.get('SELECT 1');
    return snapshot;
  } catch (error) {
    await snapshot.release();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
