import { type Database, only, type Sql } from '../engine/database.js';
import { changesOne, execute, select, selectOne } from '../engine/statements.js';
import { oneOf, storedIn } from '../engine/stored.js';
import type { ImportCounts } from './apply-dataset.js';

/** The origin of an import: `rollcall import`, or the operator's API. */
export type ImportSource = 'command-line' | 'operator';

/** An import that has ended. */
export interface LoggedImport {
  readonly source: ImportSource;
  /** The address that the records came from. Null for the command line. */
  readonly from: string | null;
  readonly beganAt: Date;
  readonly endedAt: Date;
  /** `refused`: a record was wrong. `failed`: it was cut off, or something else was wrong. Both keep nothing. */
  readonly result: 'imported' | 'refused' | 'failed';
  /** The number of records that were read. */
  readonly records: number;
  /** Null when nothing was imported. */
  readonly counts: ImportCounts | null;
  /** The place of the first mistake. Null when no record was wrong. */
  readonly problem: { readonly line: number | null; readonly field: string | null } | null;
}

/** The answer to an import with an `Idempotency-Key`. */
export interface KeptAnswer {
  readonly key: string;
  /** Differs for another request. */
  readonly fingerprint: string;
  readonly answer: string;
}

/** Another import with the same key has been committed meanwhile. */
export class KeyTaken extends Error {
  override readonly name = 'KeyTaken';
}

const storedImport = storedIn('imports', {
  ...{ source: oneOf<ImportSource>(), fromAddress: 'textOrNull', beganAt: 'time', endedAt: 'time' },
  ...{ result: oneOf<LoggedImport['result']>(), records: 'whole', counts: 'textOrNull' },
  ...{ problemLine: 'wholeOrNull', problemField: 'textOrNull' },
});

/**
 * Logs an import in the transaction of the caller, with the answer that is repeated for its key. Keys of imports that
 * ended before `forgottenBefore` can be used again. Throws `KeyTaken` if another import has the key. Returns the id.
 */
export async function logImport(
  sql: Sql,
  { source, from, beganAt, endedAt, result, records, counts, problem }: LoggedImport,
  kept?: KeptAnswer & { readonly forgottenBefore: Date },
): Promise<number> {
  if (kept !== undefined)
    await execute(sql)`UPDATE imports SET key = NULL, answer = NULL
      WHERE key = ${kept.key} AND ended_at < ${kept.forgottenBefore}`;
  const rows = await select<{ id: number }>(sql)`INSERT INTO imports (source, from_address, began_at,
      ended_at, result, records, counts, problem_line,
      problem_field, key, fingerprint, answer)
    VALUES (${source}, ${from}, ${beganAt}, ${endedAt}, ${result}, ${records},
      ${counts === null ? null : JSON.stringify(counts)}, ${problem?.line ?? null},
      ${problem?.field ?? null}, ${kept?.key ?? null}, ${kept?.fingerprint ?? null},
      ${kept?.answer ?? null})
    ON CONFLICT DO NOTHING RETURNING id`;
  if (rows.length === 0) throw new KeyTaken();
  return only(rows).id;
}

type ImportPart = Pick<LoggedImport, 'endedAt' | 'records' | 'counts'> & { readonly id: number };

/** Adds a further part to a logged import, which goes on. Returns whether it is still in the log. */
export async function extendImport(sql: Sql, { id, endedAt, records, counts }: ImportPart): Promise<boolean> {
  return changesOne(sql)`UPDATE imports
    SET ended_at = ${endedAt}, records = ${records}, counts = ${JSON.stringify(counts)} WHERE id = ${id}`;
}

/** The answer that is kept for a key since this time. Null when there is none. */
export async function keptAnswer(
  { read }: Pick<Database, 'read'>,
  { key, since }: { readonly key: string; readonly since: Date },
): Promise<KeptAnswer | null> {
  const row = await selectOne<{ fingerprint: string; answer: string }>(read)`SELECT fingerprint, answer
    FROM imports WHERE key = ${key} AND ended_at >= ${since}`;
  return row === undefined ? null : { key, ...row };
}

/** The import that was logged last. Null when there was none. */
export async function lastImport({ read }: Pick<Database, 'read'>): Promise<LoggedImport | null> {
  const last = await storedImport.first(read)`FROM imports ORDER BY id DESC LIMIT 1`;
  if (last === null) return null;
  const { fromAddress: from, counts, problemLine: line, problemField: field, ...logged } = last;
  return {
    ...{ ...logged, from },
    counts: counts === null ? null : (JSON.parse(counts) as ImportCounts),
    problem: line === null && field === null ? null : { line, field },
  };
}

/** One of the latest imports. More records may be added to it until the next one begins. */
export type RecentImport = Pick<LoggedImport, 'source' | 'result' | 'records'> & { readonly id: number };

/** The imports that were logged last, the newest first. */
export async function recentImports(
  { read }: Pick<Database, 'read'>,
  limit: number,
): Promise<readonly RecentImport[]> {
  return select<RecentImport>(read)`SELECT id, source, result, records FROM imports ORDER BY id DESC
    LIMIT ${limit}`;
}
