import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../engine/database.js';
import { raw } from '../engine/sql-text.js';
import { selectOne } from '../engine/statements.js';

/** Rows that one statement reads or deletes. Other statements run in between. */
export const BATCH_ROWS = 500;
/** The pause after each deletion, for other work. */
const PAUSE_MS = 25;

/** One run of `prune`. */
export interface Pruning {
  readonly database: Database;
  /** Only counts the rows that would be deleted. */
  readonly dryRun: boolean;
  /** Stops between two batches. */
  readonly signal: AbortSignal | undefined;
}

interface Batches<Row> {
  /** Reads at most `BATCH_ROWS` rows after this one. Null: the first ones. */
  readonly read: (after: Row | null) => Promise<readonly Row[]>;
  /** Those of a batch that have expired. All by default. */
  readonly expiredIn?: (rows: readonly Row[]) => readonly Row[];
  /** Whether no row behind the batch has expired. Nothing follows a batch that is not full. */
  readonly isLast?: (rows: readonly Row[]) => boolean;
  /** Deletes expired rows, of which `last` is the last one, and returns their number. */
  readonly remove: (expired: readonly Row[], last: Row) => Promise<number>;
}

/** Deletes expired rows in batches, or counts them. Returns their number. */
export async function pruneBatches<Row>(
  { dryRun, signal }: Omit<Pruning, 'database'>,
  { read, expiredIn = (rows) => rows, isLast = () => false, remove }: Batches<Row>,
): Promise<number> {
  let count = 0;
  for (let after: Row | null = null; signal?.aborted !== true; ) {
    const rows: readonly Row[] = await read(after);
    const expired = expiredIn(rows);
    const last = dryRun ? undefined : expired.at(-1);
    count += last === undefined ? expired.length : await remove(expired, last);
    await pause(last === undefined ? 0 : PAUSE_MS);
    if (rows.length < BATCH_ROWS || isLast(rows)) break;
    after = rows.at(-1) ?? null;
  }
  return count;
}

/** The first row of each organization in `from`, such as a table, by the organizations' ids. */
export async function* byOrganization<Row extends { readonly organization_id: number }>(
  { database, signal }: Pruning,
  { columns, from }: { readonly columns: string; readonly from: string },
): AsyncGenerator<Row, void> {
  for (let after = 0; signal?.aborted !== true; ) {
    const next: Row | undefined = await selectOne<Row>(database.read)`SELECT ${raw(columns)}
      FROM ${raw(from)} AND organization_id > ${after} ORDER BY organization_id LIMIT 1`;
    if (next === undefined) return;
    yield next;
    after = next.organization_id;
  }
}
