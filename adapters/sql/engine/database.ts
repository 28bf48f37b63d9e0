import type { Replica, ReplicaOptions } from './replica.js';

/**
 * The interface between the stores and the engines. SQL texts use `?` for values and for nothing else. What differs
 * between the engines (how a value is stored, how to wait, what a snapshot is) stays behind these interfaces. Where
 * the engines need different texts, the file has one for each.
 */
export type Engine = 'sqlite' | 'postgres';

export type SqlValue = string | number | boolean | null | Date | Uint8Array;

/** Runs statements, each on a consistent state of the database. Throws `Unavailable` when it can't be reached. */
export interface Sql {
  /** All rows, also of a statement with RETURNING. */
  all<Row>(text: string, values?: readonly SqlValue[]): Promise<readonly Row[]>;
  /** As `all`, each row as its values in the order of the columns: half the price where there are many. */
  rows<Row extends readonly unknown[]>(text: string, values?: readonly SqlValue[]): Promise<readonly Row[]>;
  /** The first row. */
  get<Row>(text: string, values?: readonly SqlValue[]): Promise<Row | undefined>;
  run(text: string, values?: readonly SqlValue[]): Promise<{ readonly changes: number }>;
}

/** What a snapshot is for. */
export interface WantedSnapshot {
  /** Whose rows are read. */
  readonly organizationId?: number;
  /** Whether a statement may take long. */
  readonly isHeavy?: boolean;
}

/** All statements see the database as it was at the first one. */
export interface Snapshot extends Sql {
  /** Absent: the engine has nothing faster than `all`. */
  readonly copy?: Copy;
  /** Gives the connection back. May be called at any time, and again. */
  release(): Promise<void>;
}

/**
 * Rows without an end in sight, in pieces, by PostgreSQL's COPY; memory stays flat at the reader's pace. `encode`
 * is given each row in COPY's text format and says what leaves in its place, both as latin1 of the bytes. The
 * order that the text asks for has to be that of an index: the first row comes at once, and nothing is sorted.
 * The snapshot is released before the last piece is handed out, and when the reader returns or throws.
 */
export type Copy = (
  text: string,
  values: readonly SqlValue[],
  encode: (row: string) => string,
) => AsyncGenerator<Uint8Array>;

/** A connection for loading much: temporary tables that are made on it live as long as it does. */
export interface Bulk extends Sql {
  readonly engine: Engine;
  /** One transaction over temporary tables only: it locks nothing, and is much faster than none. */
  temporary<T>(work: () => Promise<T>): Promise<T>;
  /** One transaction that only reads: all its statements see the database as it was at the first one. */
  read<T>(work: () => Promise<T>): Promise<T>;
  /** One transaction on this connection, as `Database.write`. */
  write<T>(work: () => Promise<T>): Promise<T>;
  /** Stores many rows: one row's values after the other's, each in the order of the columns. */
  load(into: LoadedColumns, values: readonly SqlValue[]): Promise<void>;
  /** Whether no service uses the database meanwhile, as far as is known. */
  isAlone(): Promise<boolean>;
}

/** The columns of a table, in the order in which values come. */
export interface LoadedColumns {
  readonly table: string;
  readonly columns: readonly string[];
}

/** The connections of one role. */
export interface PoolState {
  readonly role: string;
  readonly used: number;
  readonly free: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
}

export interface Database {
  readonly engine: Engine;
  /** What snapshots are read from where it can be; absent: none was given. */
  readonly replica?: Replica;
  /** Short reads. Two statements may see different states of the database. */
  readonly read: Sql;
  /**
   * Reads that may take long. With SQLite they run in another thread, so that other requests are answered meanwhile, and
   * one at a time for each organization. They see everything that was committed before they began.
   */
  readAside(organizationId: number): Sql;
  /** One transaction: committed and on disk when it answers, nothing kept when `work` throws. */
  write<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /**
   * Long reads, each on its own connection. At most `exports` run at once, and a few more wait. An organization, if it is
   * given, has only a few at once: see `ExportPlaces`.
   */
  snapshot(wanted?: WantedSnapshot): Promise<Snapshot>;
  bulk<T>(work: (bulk: Bulk) => Promise<T>): Promise<T>;
  /**
   * Brings the schema up to date and says which migrations it ran; of several callers one works, the others wait. On
   * PostgreSQL others go on writing meanwhile. A process that is killed leaves nothing in the way of the next one.
   */
  migrate(options?: MigrateOptions): Promise<readonly string[]>;
  /** The migrations that `migrate` would run. */
  pendingMigrations(): Promise<readonly string[]>;
  /** The current state of the connections. */
  poolStates(): readonly PoolState[];
  /** Waits for running statements; releases the snapshots. */
  close(): Promise<void>;
}

export interface MigrateOptions {
  /** Called every few seconds while a migration waits, with the processes that are in the way. */
  readonly onWait?: ((text: string) => void) | undefined;
  /** How long to wait for each step, and for another process that migrates. PostgreSQL only. */
  readonly timeoutMs?: number;
}

/** Options of `openDatabase`. */
export interface DatabaseOptions {
  /** Snapshots at once. */
  readonly exports?: number;
  /** How long to wait for a connection or a lock before `Unavailable` is thrown. */
  readonly timeoutMs?: number;
  /** How long a snapshot may make no progress before it is released. */
  readonly stallTimeoutMs?: number;
  /** False for a command. By default the process serves others from this database. */
  readonly serves?: boolean;
  /** For snapshots, PostgreSQL only. A replica that can't be reached is not an error. */
  readonly replica?: ReplicaOptions;
}

/** Callers that may wait for a snapshot. Further ones get `Unavailable` at once. */
export const MAX_WAITING_EXPORTS = 32;

const LIST_SIZES = [1, 5, 10, 25, 50, 100] as const;

/**
 * Values for `IN (…)`, in parts of few lengths, so that few texts are prepared: what is missing in the last
 * one is null, which equals nothing.
 */
export function inLists(
  values: readonly SqlValue[],
): readonly { readonly marks: string; readonly values: readonly SqlValue[] }[] {
  const parts = [];
  for (let start = 0; start < values.length; start += 100) {
    const part = values.slice(start, start + 100);
    const size = LIST_SIZES.find((size) => size >= part.length) ?? part.length;
    while (part.length < size) part.push(null);
    parts.push({ marks: marks(size), values: part });
  }
  return parts;
}

/** This many `?`, separated by commas. */
export function marks(count: number): string {
  return '?, '.repeat(count).slice(0, -2);
}

/** The row of a statement that always returns one. */
export function only<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined || rows.length > 1) throw new Error(`expected one row and got ${rows.length}`);
  return row;
}

/** A stored timestamp, or null. */
export function timestampOrNull(stored: string | null): Date | null {
  return stored === null ? null : new Date(stored);
}

/** A stored timestamp: `2026-11-20T18:00:00.000Z`. Reading it digit by digit takes half the time of `Date`. */
export function parseTimestamp(stored: string): Date {
  const year = 100 * pair(stored, 0) + pair(stored, 2);
  // `Date.UTC` takes years of two digits for those of the last century.
  if (stored.length !== 24 || !(year >= 100)) return new Date(stored);
  const milliseconds = 10 * pair(stored, 20) + stored.charCodeAt(22) - ZERO;
  const [month, day] = [pair(stored, 5) - 1, pair(stored, 8)];
  const [hours, minutes, seconds] = [pair(stored, 11), pair(stored, 14), pair(stored, 17)];
  return new Date(Date.UTC(year, month, day, hours, minutes, seconds, milliseconds));
}

const ZERO = '0'.charCodeAt(0);

/** Two digits. */
function pair(text: string, at: number): number {
  return 10 * (text.charCodeAt(at) - ZERO) + text.charCodeAt(at + 1) - ZERO;
}
