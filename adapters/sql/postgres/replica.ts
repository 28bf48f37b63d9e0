import { type Database, only, type Snapshot, type Sql } from '../engine/database.js';
import type { Replica, ReplicaOptions, ReplicaState } from '../engine/replica.js';

export interface WatchedReplica extends Replica {
  /** Null when the primary must serve, decided within about a second. */
  snapshot(): Promise<Snapshot | null>;
  close(): Promise<void>;
}

interface WatchReplica extends Omit<ReplicaOptions, 'url'> {
  readonly primary: Sql;
  readonly connect: () => Promise<Database>;
}

/** Between two checks, at most. Each check is one short query on either server. */
const MAX_PAUSE_MS = 5_000;
const TIMEOUT_MS = 1_000;

/** Checks the replica once before it resolves, and from then on. A replica that is away is not an error. */
export async function watchReplica(watch: WatchReplica): Promise<WatchedReplica> {
  const watcher = new Watcher(watch);
  await watcher.look();
  return watcher;
}

/** Identifies the database, the same in all copies of it. */
const PLACE = `(SELECT system_identifier FROM pg_control_system()) || '/' ||
  (SELECT oid FROM pg_database WHERE datname = current_database())`;
const POSITION_OF_PRIMARY = `SELECT ${PLACE} AS place,
  CAST(pg_current_wal_lsn() - CAST('0/0' AS pg_lsn) AS bigint) AS position`;
const POSITION_OF_REPLICA = `SELECT ${PLACE} AS place, pg_is_in_recovery() AS follows,
  CAST(pg_last_wal_replay_lsn() - CAST('0/0' AS pg_lsn) AS bigint) AS position`;

interface Position {
  readonly place: string;
  /** Bytes of the log of changes. */
  readonly position: number;
}

/**
 * The replica's own timestamps do not help: they stand still when nothing is written, and it notices a lost connection
 * to the primary late. So we ask the primary for its position, and the replica whether it has reached that position:
 * its data is then at most as old as our question.
 */
class Watcher implements WatchedReplica {
  readonly #watch: WatchReplica;
  #database: Database | null = null;
  /** How far the primary was, and when, the oldest first. */
  #positions: { readonly at: number; readonly position: number }[] = [];
  /** The replica has everything that was there at this time of `performance.now()`. */
  #currentAt = Number.NEGATIVE_INFINITY;
  #trouble: unknown = null;
  #served = true;
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> | null = null;
  #closed = false;

  constructor(watch: WatchReplica) {
    this.#watch = watch;
  }

  state(): ReplicaState {
    if (this.#trouble !== null) return 'away';
    return performance.now() - this.#currentAt <= this.#watch.maxLagMs ? 'serving' : 'behind';
  }

  async snapshot(): Promise<Snapshot | null> {
    if (this.#database === null || this.state() !== 'serving') return null;
    try {
      return await begun(this.#database);
    } catch {
      void this.look();
      return null;
    }
  }

  /** Never rejects. Only one check runs at a time. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    const primary = await this.#askPrimary();
    try {
      await this.#askReplica(primary);
      this.#trouble = null;
    } catch (error) {
      this.#trouble = error;
    }
    this.#tell();
    if (this.#closed) return;
    const pause = Math.min(MAX_PAUSE_MS, this.#watch.maxLagMs / 2);
    this.#timer = setTimeout(() => void this.look(), pause).unref();
  }

  /** Null when the primary is away, which says nothing about the replica. */
  async #askPrimary(): Promise<Position | null> {
    const { primary, maxLagMs } = this.#watch;
    const at = performance.now();
    try {
      const asked = only(await primary.all<Position>(POSITION_OF_PRIMARY));
      this.#positions = this.#positions.filter((earlier) => at - earlier.at <= maxLagMs);
      this.#positions.push({ at, position: asked.position });
      return asked;
    } catch {
      return null;
    }
  }

  async #askReplica(primary: Position | null): Promise<void> {
    this.#database ??= await this.#watch.connect();
    const replica = only(
      await this.#database.read.all<Position & { readonly follows: boolean }>(POSITION_OF_REPLICA),
    );
    if (!replica.follows) throw new Error('it is no replica');
    if (primary === null) return;
    if (replica.place !== primary.place) throw new Error('it is a replica of another database');
    const reached = this.#positions.findLast(({ position }) => position <= replica.position);
    if (reached !== undefined) this.#currentAt = reached.at;
  }

  #tell(): void {
    const state = this.state();
    const serves = state === 'serving';
    if (serves === this.#served) return;
    this.#served = serves;
    this.#watch.onChange?.(state, this.#trouble);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#looking;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#database?.close();
  }
}

/** A snapshot whose connection has answered. */
async function begun(database: Database): Promise<Snapshot> {
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
