/**
 * The interface between the stores and the engines. SQL texts use `?` for values and for nothing else. The differences
 * between the engines (how to store a value, how to wait, how to take a snapshot) stay behind these interfaces. Where
 * the engines need different texts, the file has one for each.
 */
export type Engine = 'sqlite' | 'postgres';

export type SqlValue = string | number | boolean | null | Date | Uint8Array;

/**
 * Runs statements, each on a consistent state of the database. Throws `Unavailable` when it can't be reached. On SQLite,
 * which has one writer, clauses such as `FOR UPDATE` do nothing.
 */
export interface Sql {
  /** All rows, also of a statement with RETURNING. */
  all<Row>(text: string, values?: readonly SqlValue[]): Promise<readonly Row[]>;
  /** As `all`, but each row is an array of its values, in column order. For many rows this takes half the time. */
  rows<Row extends readonly unknown[]>(text: string, values?: readonly SqlValue[]): Promise<readonly Row[]>;
  /** The first row. */
  get<Row>(text: string, values?: readonly SqlValue[]): Promise<Row | undefined>;
  run(text: string, values?: readonly SqlValue[]): Promise<{ readonly changes: number }>;
}

/** Statements that `around` runs one by one, each on the statements that it chooses. */
export function sqlWithin(around: <T>(step: (sql: Sql) => Promise<T>) => Promise<T>): Sql {
  return {
    all: (text, values) => around((sql) => sql.all(text, values)),
    rows: (text, values) => around((sql) => sql.rows(text, values)),
    get: (text, values) => around((sql) => sql.get(text, values)),
    run: (text, values) => around((sql) => sql.run(text, values)),
  };
}

/** Statements on an engine that their callers know. */
export interface EngineSql extends Sql {
  readonly engine: Engine;
}

/** The purpose of a snapshot. */
export interface SnapshotRequest {
  /** The organization whose rows are read. */
  readonly organizationId?: number;
  /** Whether a statement may take long. */
  readonly isHeavy?: boolean;
}

/** All statements see the database as it was at the first one. */
export interface Snapshot extends Sql {
  /** Absent when the engine has nothing faster than `all`. */
  readonly copy?: Copy;
  /** Gives the connection back. May be called at any time, and again. */
  release(): Promise<void>;
}

/**
 * Writes a row that COPY has sent, with its line feed, in another form into a buffer, from `at` on. Returns where it ends.
 * Beyond the end of the buffer, nothing is written: the same row is then written again into a buffer that is large
 * enough, so nothing may be remembered of it.
 */
export type EncodeRow = (row: Buffer, into: Buffer, at: number) => number;

/**
 * Streams any number of rows in pieces, by PostgreSQL's COPY. Memory stays flat, however slow the reader is. The ORDER BY
 * of the text must match an index, so that the first row comes at once and nothing is sorted. The snapshot is released
 * before the last piece is returned, and when the reader returns or throws.
 */
export type Copy = (
  text: string,
  values: readonly SqlValue[],
  encode: EncodeRow,
) => AsyncGenerator<Uint8Array>;

/** A connection for loading many rows. Temporary tables created on it last as long as it does. */
export interface Bulk extends EngineSql {
  /** One transaction over temporary tables only. It locks nothing and is much faster than separate statements. */
  temporary<T>(work: () => Promise<T>): Promise<T>;
  /** One transaction that only reads: all its statements see the database as it was at the first one. */
  read<T>(work: () => Promise<T>): Promise<T>;
  /** One transaction on this connection, as `Database.write`. */
  write<T>(work: () => Promise<T>): Promise<T>;
  /** Stores many rows. `values` holds the values of one row after another, each row in the order of the columns. */
  load(into: LoadedColumns, values: readonly SqlValue[]): Promise<void>;
  /** Whether, as far as is known, no service uses the database at the same time. */
  isAlone(): Promise<boolean>;
}

/** The columns of a table, in the order of the values. */
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

/** Work that keeps the database from cleaning up: it delays claims and lets files grow. */
export interface DatabaseActivity {
  /** Seconds since the oldest open transaction of any client began; 0: none is open. Null when the engine cannot tell. */
  readonly oldestTransactionSeconds: number | null;
  /** Seconds since the oldest open snapshot was taken; 0: none is open. SQLite knows only those of this process. */
  readonly oldestSnapshotSeconds: number;
  /** The transactions that have begun since the oldest snapshot of any client or replica. Null when the engine cannot tell. */
  readonly oldestSnapshotTransactions: number | null;
}

/**
 * Short texts from process to process, over the database that they share. A text may get lost, or arrive late: nothing may
 * depend on it but how soon something is done.
 */
export interface News {
  /**
   * Within a transaction, so that those that listen get the texts when it is committed, this process too. With SQLite,
   * `tellCommitted` does that.
   */
  tell(sql: Sql, texts: readonly string[]): Promise<void>;
  /** Call it after a commit. With SQLite, those that listen get an empty text. Otherwise it does nothing. */
  tellCommitted(): void;
  /** Rejects with the reason if nothing can be heard. `lost` may be called after the result was closed. */
  listen(listener: NewsListener): Promise<{ close(): void }>;
}

export interface NewsListener {
  heard(text: string): void;
  /** From now on, nothing is heard. */
  lost(reason: Error): void;
}

export interface Database {
  readonly engine: Engine;
  /** Serves snapshots when it can. Absent when none is configured. */
  readonly replica?: Replica;
  /** Short reads. Two statements may see different states of the database. */
  readonly read: Sql;
  /**
   * Reads that may take long. With SQLite they run in another thread, so that other requests are answered meanwhile. Of
   * one organization, one runs at a time on SQLite, and two on PostgreSQL; others wait for their turn. They see everything
   * that was committed before they began.
   */
  readAside(organizationId: number): Sql;
  /** Runs one transaction. It is committed and on disk when this resolves. When `work` throws, nothing is kept. */
  write<T>(work: (sql: Sql) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** Why nothing can be written now although the database answers. Null: it can be written, as far as is known. */
  writeProblem(): Promise<WriteProblem | null>;
  /**
   * Long reads, each on its own connection. At most `exports` run at once, and a few more wait. Of one organization,
   * only a few run at once: see `openSnapshots`.
   */
  snapshot(request?: SnapshotRequest): Promise<Snapshot>;
  bulk<T>(work: (bulk: Bulk) => Promise<T>): Promise<T>;
  /**
   * Brings the schema up to date and returns the names of the migrations it ran. If any are pending: of several callers, one migrates and
   * the others wait. On PostgreSQL other processes can write meanwhile. A killed process does not block the next one.
   */
  migrate(options?: MigrateOptions): Promise<readonly string[]>;
  /** The migrations that `migrate` would run. */
  pendingMigrations(): Promise<readonly string[]>;
  /** Statements that an administrator must run before the service may read and write everything. Empty on SQLite. */
  missingRights(): Promise<readonly string[]>;
  /** What this process and others tell each other. */
  readonly news: News;
  /** The current state of the connections. */
  poolStates(): readonly PoolState[];
  /** The oldest transaction and snapshot that are open now. */
  activity(): Promise<DatabaseActivity>;
  /** The number of snapshots that were refused since the start because their organization had too many. */
  refusedSnapshots(): number;
  /** Waits for running statements; releases the snapshots. */
  close(): Promise<void>;
}

export type WriteProblem = 'read-only' | 'waiting for a synchronous standby';

export interface WriteOptions {
  /** Synchronous standbys need not have it when it is committed: if they take over without it, little is lost. */
  readonly isMinor?: boolean;
}

export interface MigrateOptions {
  /** Called every few seconds while a migration waits, with the processes that are in the way. */
  readonly onWait?: ((text: string) => void) | undefined;
  /** How long to wait for each step, and for another process that migrates. PostgreSQL only. */
  readonly timeoutMs?: number;
}

/**
 * A pool of `pg`. Connections are made as it makes them (server, role, password or the function that gives it, TLS), but not
 * taken from it: they need settings of their own, and one that hangs is closed.
 */
export interface PostgresPool {
  readonly options: object;
}

/** In the states `behind` and `away`, the primary serves instead. */
export type ReplicaState = 'serving' | 'behind' | 'away';

/** A read-only copy that follows the database, for long reads. */
export interface Replica {
  state(): ReplicaState;
}

export interface ReplicaOptions {
  readonly url: string;
  /** How much older its data may be than the primary's. */
  readonly maxLagMs: number;
  /** Called when it starts or stops serving, with the reason when it is away. */
  readonly onChange?: (state: ReplicaState, reason: unknown) => void;
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
  /** PostgreSQL only: the schema of our tables instead of the first one of `search_path`. It is created if it is missing. */
  readonly schema?: string;
  /** For snapshots, PostgreSQL only. A replica that can't be reached is not an error. */
  readonly replica?: ReplicaOptions;
}

/** Before and after every stored timestamp. */
export const timeEdges: Record<Engine, { readonly before: string; readonly after: string }> = {
  sqlite: { before: '', after: '~' },
  postgres: { before: '-infinity', after: 'infinity' },
};

/** Callers that may wait for a snapshot. Further ones get `Unavailable` at once. */
export const MAX_WAITING_EXPORTS = 32;

/** As many `?` as `count`, separated by commas. */
export function placeholders(count: number): string {
  return '?, '.repeat(count).slice(0, -2);
}

/** The row of a statement that always returns one. */
export function only<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined || rows.length > 1) throw new Error(`expected one row and got ${rows.length}`);
  return row;
}

/** Parses a stored timestamp. Null stays null, and so does a row that is not there. */
export function timestampOrNull(stored: string | null | undefined): Date | null {
  return stored == null ? null : new Date(stored);
}
