import {
  type Database,
  only,
  type ReplicaOptions,
  type ReplicaState,
  type Snapshot,
  type Sql,
} from '../engine/database.js';

interface WatchReplica extends Omit<ReplicaOptions, 'url'> {
  readonly primary: Sql;
  readonly connect: () => Promise<Database>;
}

/** The maximum pause between two checks. Each check is one short query on either server. */
const MAX_PAUSE_MS = 5_000;
const TIMEOUT_MS = 1_000;

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
 * Checks the replica once before this resolves, and then regularly. An unreachable replica is not an error.
 *
 * The replica's own timestamps do not help: they stand still when nothing is written, and a replica notices late that it
 * has lost the primary. So each check reads the position of the primary, and whether the replica has reached it. If it
 * has, its data is at most as old as the check.
 */
export async function watchReplica(watch: WatchReplica) {
  const { primary, maxLagMs } = watch;
  let database: Database | null = null;
  /** The primary's positions and when they were read, the oldest first. */
  let positions: { readonly at: number; readonly position: number }[] = [];
  /** The replica has everything that the primary had at this time of `performance.now()`. */
  let currentAt = Number.NEGATIVE_INFINITY;
  let error: unknown = null;
  let served = true;
  let timer: NodeJS.Timeout | undefined;
  let checking: Promise<void> | null = null;
  let isClosed = false;

  function state(): ReplicaState {
    if (error !== null) return 'away';
    return performance.now() - currentAt <= maxLagMs ? 'serving' : 'behind';
  }

  /** Never rejects. Only one check runs at a time. */
  function check(): Promise<void> {
    checking ??= checkOnce().finally(() => {
      checking = null;
    });
    return checking;
  }

  async function checkOnce(): Promise<void> {
    clearTimeout(timer);
    const position = await readPrimary();
    try {
      await checkReplica(position);
      error = null;
    } catch (reason) {
      error = reason;
    }
    report();
    if (!isClosed) timer = setTimeout(() => void check(), Math.min(MAX_PAUSE_MS, maxLagMs / 2)).unref();
  }

  /** Null when the primary can't be reached, which says nothing about the replica. */
  async function readPrimary(): Promise<Position | null> {
    const at = performance.now();
    try {
      const answer = only(await primary.all<Position>(POSITION_OF_PRIMARY));
      positions = positions.filter((earlier) => at - earlier.at <= maxLagMs);
      positions.push({ at, position: answer.position });
      return answer;
    } catch {
      return null;
    }
  }

  async function checkReplica(ofPrimary: Position | null): Promise<void> {
    database ??= await watch.connect();
    const replica = only(
      await database.read.all<Position & { readonly follows: boolean }>(POSITION_OF_REPLICA),
    );
    if (!replica.follows) throw new Error('it is no replica');
    if (ofPrimary === null) return;
    if (replica.database !== ofPrimary.database) throw new Error('it is a replica of another database');
    const reached = positions.findLast(({ position }) => position <= replica.position);
    if (reached !== undefined) currentAt = reached.at;
  }

  function report(): void {
    const now = state();
    if (served === (now === 'serving')) return;
    served = now === 'serving';
    watch.onChange?.(now, error);
  }

  await check();
  return {
    state,

    /** Resolves within about a second, to null when the primary must serve. */
    async snapshot(): Promise<Snapshot | null> {
      if (database === null || state() !== 'serving') return null;
      try {
        return await startedSnapshot(database);
      } catch {
        void check();
        return null;
      }
    },

    async close(): Promise<void> {
      isClosed = true;
      await checking;
      clearTimeout(timer);
      await database?.close();
    },
  };
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
