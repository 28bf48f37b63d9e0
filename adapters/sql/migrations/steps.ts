import type { Knex } from 'knex';

/**
 * How a migration of PostgreSQL changes tables that are large and in use. Each step is committed before the next one
 * begins, and is done once, also when the process is killed in between.
 */
export type Step = Change | Index | Batches;

/** Statements that are quick once they have their lock, in one transaction. */
export interface Change {
  readonly kind: 'change';
  readonly statements: readonly string[];
}

/** An index that is made while others write. */
export interface Index {
  readonly kind: 'index';
  readonly name: string;
  /** The table with what follows its name in `CREATE INDEX`. */
  readonly on: string;
  readonly isUnique: boolean;
}

/** Rows that are changed a few at a time, in the order of a key, with pauses for the others. */
export interface Batches {
  readonly kind: 'batches';
  readonly table: string;
  readonly key: string;
  /** Rows at a time at most; fewer are taken where those take long. */
  readonly maxRows: number;
  /** The statements for one batch; `range` gives the condition that its rows fulfil, on a column such as `users.id`. */
  readonly statements: (range: Range) => readonly string[];
}

export type Range = (column: string) => string;

/**
 * One existing table a step: a lock that is waited for holds up everybody who writes to the tables that are locked
 * already. What reads every row is another step: an index, a backfill in batches, or a constraint that is added
 * `NOT VALID` in one change and validated by `ALTER TABLE … VALIDATE CONSTRAINT …` alone in the next.
 */
export function change(...statements: readonly string[]): Change {
  return { kind: 'change', statements };
}

/** `index('test_deliveries', 'deliveries (organization_id, created_at) WHERE is_test')`. */
export function index(name: string, on: string, { isUnique = false } = {}): Index {
  return { kind: 'index', name, on, isUnique };
}

const MAX_BATCH_ROWS = 5_000;

/**
 * A batch may be repeated after an error and never after it was committed. Rows that others store meanwhile may lie
 * before the place that has been reached: the step before has to see to them, with a default or a trigger.
 */
export function batches({
  maxRows = MAX_BATCH_ROWS,
  ...given
}: Omit<Batches, 'kind' | 'maxRows'> & Partial<Pick<Batches, 'maxRows'>>): Batches {
  return { kind: 'batches', maxRows, ...given };
}

export function createIndexText({ name, on, isUnique }: Index, how: 'CONCURRENTLY' | null): string {
  return ['CREATE', isUnique ? ['UNIQUE'] : [], 'INDEX', how ?? [], name, 'ON', on].flat().join(' ');
}

/** The same changes in one transaction: for a database that is not in use yet. */
export function atOnce(steps: readonly Step[]): (knex: Knex) => Promise<void> {
  return async (knex) => {
    for (const step of steps) for (const statement of textsOf(step)) await knex.raw(statement);
  };
}

function textsOf(step: Step): readonly string[] {
  if (step.kind === 'change') return step.statements;
  if (step.kind === 'index') return [createIndexText(step, null)];
  return step.statements(() => 'true');
}
