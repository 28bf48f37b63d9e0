import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../engine/database.js';
import { isPostgresConstraintError, isPostgresLockTimeout } from '../postgres/errors.js';
import { isSqliteConstraintError } from '../sqlite/errors.js';
import { applyDataset, type ImportCounts } from './apply-dataset.js';
import { DatasetError, type DatasetItem } from './dataset.js';
import { checkStaged } from './import-checks.js';
import { findPeople, makePeopleStaging, Outdated } from './import-people.js';
import { stageRecords } from './stage-records.js';
import { fillIn, makeStaging, settleStaging, stagedOf } from './staging.js';

/** The steps of an import, after everything has been read. */
export type ImportStep = 'check' | 'apply';

export interface ImportOptions {
  readonly at: Date;
  /** Called before each step. No one else can write during the last one; it is reported again when it is repeated. */
  readonly onStep?: ((step: ImportStep) => void) | undefined;
}

/** How often a correct dataset is checked and applied again when other writes contradict it meanwhile. */
const MAX_ATTEMPTS = 3;
/** How long it tries to get all locks. It releases its own locks between the tries. */
const MAX_LOCK_WAIT_MS = 5 * 60_000;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;
/** More would not help: everything is read and written in order, and sorting takes as much again. */
const PAGE_CACHE_KIB = 16_384;

/**
 * Stores a dataset, all or nothing and in any order: the last record of a key counts, and importing it again
 * changes nothing. Makes no events. Memory does not grow with the dataset. Others may always read, and
 * write until everything is applied at once at the end: reading, sorting, checking and counting are done before.
 * Throws `DatasetError` for the first line that contradicts the others or what is stored; what `source` throws
 * comes through.
 */
export async function importDataset(
  database: Database,
  source: AsyncIterable<readonly DatasetItem[]>,
  { at, onStep }: ImportOptions,
): Promise<ImportCounts> {
  return database.bulk(async (bulk) => {
    if (bulk.engine === 'sqlite') await bulk.run(`PRAGMA cache_size = -${PAGE_CACHE_KIB}`);
    await bulk.temporary(async () => {
      await makeStaging(bulk);
      await makePeopleStaging(bulk);
      await stageRecords(bulk, source, at);
      await settleStaging(bulk);
    });
    const staged = await stagedOf(bulk);
    const until = performance.now() + MAX_LOCK_WAIT_MS;
    let wait = FIRST_PAUSE_MS;
    for (let attempt = 1; ; ) {
      onStep?.('check');
      await bulk.temporary(async () => {
        await findPeople(bulk);
        await fillIn(bulk, staged);
        await checkStaged(bulk);
      });
      try {
        onStep?.('apply');
        return await bulk.write(() => applyDataset(bulk, staged, at));
      } catch (error) {
        if (isPostgresLockTimeout(error) && performance.now() < until) {
          await pause(wait);
          wait = Math.min(2 * wait, MAX_PAUSE_MS);
          continue;
        }
        const isOutdated = error instanceof Outdated;
        if (!isOutdated && !isSqliteConstraintError(error) && !isPostgresConstraintError(error)) throw error;
        if (attempt === MAX_ATTEMPTS) throw contradiction(error);
        attempt += 1;
      }
    }
  });
}

function contradiction(cause: unknown): DatasetError {
  const message = 'the records contradict each other or what is stored';
  return new DatasetError({ line: null, field: null }, message, { cause });
}
