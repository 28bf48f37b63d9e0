/**
 * A step of a migration on PostgreSQL, for tables that are large and in use. Each step is committed before the next one
 * begins, and runs once, even if the process is killed in between.
 */
export type Step = Change | Index | Batches;

/** Statements in one transaction that are quick once they have their lock. */
export interface Change {
  readonly kind: 'change';
  readonly statements: readonly string[];
}

/** An index that is built while other clients write. */
export interface Index {
  readonly kind: 'index';
  readonly name: string;
  /** The table, and the text that follows its name in `CREATE INDEX`. */
  readonly on: string;
  readonly isUnique: boolean;
}

/** Rows that are changed a few at a time, in the order of a key, with pauses for other clients. */
export interface Batches {
  readonly kind: 'batches';
  readonly table: string;
  readonly key: string;
  /** The maximum number of rows in a batch. Batches are smaller if the rows take long. */
  readonly maxRows: number;
  /** Returns the statements for one batch. `range` returns the condition for its rows, on a column such as `users.id`. */
  readonly statements: (range: Range) => readonly string[];
}

export type Range = (column: string) => string;

/**
 * Change one existing table in each step: while a step waits for a lock, it blocks writers of the tables that it has
 * already locked. Put anything that reads every row into another step: an index, a backfill in batches, or a constraint
 * that one change adds as `NOT VALID` and the next one validates by `ALTER TABLE … VALIDATE CONSTRAINT …` alone.
 */
export function change(...statements: readonly string[]): Change {
  return { kind: 'change', statements };
}

/** Use it as `index('test_deliveries', 'deliveries (organization_id, created_at) WHERE is_test')`. */
export function index(name: string, on: string, { isUnique = false } = {}): Index {
  return { kind: 'index', name, on, isUnique };
}

const MAX_BATCH_ROWS = 5_000;

/**
 * A batch may be repeated after an error, but never after its commit. Other clients may store rows with keys that have
 * already been passed. The step before must take care of those, with a default or a trigger.
 */
export function batches({
  maxRows = MAX_BATCH_ROWS,
  ...options
}: Omit<Batches, 'kind' | 'maxRows'> & Partial<Pick<Batches, 'maxRows'>>): Batches {
  return { kind: 'batches', maxRows, ...options };
}
