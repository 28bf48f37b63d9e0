import type { Database, Sql } from '@rollcall/sql';
import {
  type Applied,
  DatasetError,
  type ImportCounts,
  type LoggedImport,
  logImport,
} from '@rollcall/sql/maintenance';
import type { DatasetWarning } from './dataset-warnings.js';
import { type LoadDataset, loadDataset } from './load-dataset.js';

/** The result of an import. */
export interface ImportResult {
  /** The number of records that were read. */
  readonly records: number;
  readonly counts: ImportCounts;
  /** The number of new memberships with `registered`. */
  readonly registered: number;
  readonly warnings: readonly DatasetWarning[];
}

export interface RunImport extends Omit<LoadDataset, 'onWarning' | 'beforeCommit'> {
  readonly origin: Pick<LoggedImport, 'source' | 'from'>;
  /** Called before the commit. The answer is kept for its key. Null: there is no key. */
  readonly keepAnswer?: (result: ImportResult) => Promise<AnswerToKeep | null>;
  /**
   * Logs the import in its transaction, instead of `logImport`. With it, a failure that is not a refusal is not logged.
   */
  readonly log?: (sql: Sql, entry: LoggedImport) => Promise<void>;
}

/** An answer that is repeated for requests with the same key. */
export interface AnswerToKeep {
  readonly key: string;
  readonly fingerprint: string;
  readonly answer: string;
  /** Keys of imports that ended before can be used again. */
  readonly forgottenBefore: Date;
}

/** An import that is stored, and its first new deliveries, for the dispatcher. */
export interface CompletedImport extends ImportResult {
  readonly firstDeliveries: Applied['registrations']['firstDeliveries'];
}

type ToEntry = (outcome: Pick<LoggedImport, 'result' | 'counts' | 'problem'>) => LoggedImport;

/**
 * Imports a dataset and logs the import, in one transaction. An import that is refused or fails is logged too, if the
 * database allows it. A dry run is not logged. Throws as `loadDataset` does, and `KeyTaken`.
 */
export async function runImport({
  origin,
  keepAnswer,
  log,
  progress,
  ...load
}: RunImport): Promise<CompletedImport> {
  const start = performance.now();
  const warnings: DatasetWarning[] = [];
  let records = 0;
  const logged: ToEntry = (rest) => ({
    ...{ ...origin, beganAt: load.at, records, ...rest },
    endedAt: new Date(load.at.getTime() + performance.now() - start),
  });
  const resultOf = ({ counts, registrations }: Applied): ImportResult => ({
    ...{ records, counts, warnings },
    registered: registrations.count,
  });
  try {
    const applied = await loadDataset({
      ...load,
      progress(read) {
        records = read;
        progress?.(read);
      },
      onWarning: (warning) => warnings.push(warning),
      async beforeCommit(sql, applied) {
        const entry = logged({ result: 'imported', counts: applied.counts, problem: null });
        if (log !== undefined) return log(sql, entry);
        const kept = (await keepAnswer?.(resultOf(applied))) ?? undefined;
        await logImport(sql, entry, kept);
      },
    });
    return { ...resultOf(applied), firstDeliveries: applied.registrations.firstDeliveries };
  } catch (error) {
    const isLogged = log === undefined || error instanceof DatasetError;
    if (load.isDryRun !== true && isLogged) await logFailure(load.database, { error, logged });
    throw error;
  }
}

async function logFailure(
  { write }: Pick<Database, 'write'>,
  { error, logged }: { readonly error: unknown; readonly logged: ToEntry },
): Promise<void> {
  const problem = error instanceof DatasetError ? { line: error.line, field: error.field } : null;
  const entry = logged({ result: problem === null ? 'failed' : 'refused', counts: null, problem });
  // The error of the import matters more than that of its log.
  await write((sql) => logImport(sql, entry)).catch(() => undefined);
}
