import { inDialect } from './0001-baseline.js';

export interface Migration {
  readonly name: string;
  /** Statements that run in one transaction, together with those of the other pending migrations. */
  readonly sqlite: string;
  /** A database without a schema gets all steps in one transaction. On one in use, each step is committed on its own. */
  readonly postgres: readonly Step[];
}

/** The same on both engines: changes, each a text in the words of `inDialect`, and indexes. */
export function migration(name: string, ...parts: readonly (string | Index)[]): Migration {
  const sqlite = parts.map((part) =>
    typeof part === 'string' ? inDialect('sqlite', part) : `CREATE INDEX ${part.name} ON ${part.on};`,
  );
  const postgres = parts.map((part) =>
    typeof part === 'string' ? change(inDialect('postgres', part)) : part,
  );
  return { name, sqlite: sqlite.join('\n'), postgres };
}

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
}

/** Rows that are changed a few at a time, in the order of a key, with pauses for other clients. */
export interface Batches {
  readonly kind: 'batches';
  readonly table: string;
  readonly key: string;
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
export function index(name: string, on: string): Index {
  return { kind: 'index', name, on };
}

/**
 * A batch may be repeated after an error, but never after its commit. Other clients may store rows with keys that have
 * already been passed. The step before must take care of those, with a default or a trigger.
 */
export function batches(options: Omit<Batches, 'kind'>): Batches {
  return { kind: 'batches', ...options };
}
