import { setTimeout as pause } from 'node:timers/promises';
import type { Database, Sql } from '../engine/database.js';
import { newsOf } from '../outbox/delivery-news.js';
import { isPostgresConstraintError, isPostgresLockTimeout } from '../postgres/errors.js';
import { isSqliteConstraintError } from '../sqlite/errors.js';
import { type Applied, applyDataset, countDataset } from './apply-dataset.js';
import { DatasetError, type DatasetItem } from './dataset.js';
import { checkStaged } from './import-checks.js';
import { createRegistrantStaging, type MembershipEvents, noEvents } from './import-events.js';
import { createPeopleStaging, findPeople, Outdated } from './import-people.js';
import { stageRecords } from './stage-records.js';
import { countStaged, createStaging, type FilledKinds, fillIn, finishStaging } from './staging.js';
import { vacuumLoaded } from './vacuum-loaded.js';

/** The steps of an import, after everything has been read. `vacuum` comes after the commit, and only after large loads. */
export type ImportStep = 'check' | 'apply' | 'vacuum';

export interface ImportOptions {
  readonly at: Date;
  /** Called before each step, again when a step is repeated. During `apply`, no other process can write. */
  readonly onStep?: ((step: ImportStep) => void) | undefined;
  /** The events of memberships. None by default. */
  readonly events?: MembershipEvents | undefined;
  /** Checks and counts everything, and keeps nothing. Other processes can write all the time. */
  readonly isDryRun?: boolean | undefined;
  /** Writes more in the transaction of the import. If it throws, nothing of the import is kept. */
  readonly beforeCommit?: ((sql: Sql, applied: Applied) => Promise<void>) | undefined;
}

/** How often a correct dataset is checked and applied when other writes contradict it meanwhile. */
const MAX_ATTEMPTS = 3;
/** How long an import tries to get all locks. It releases its locks between the attempts. */
const MAX_LOCK_WAIT_MS = 5 * 60_000;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;
/** More would not help: everything is read and written in order, and sorting uses the same amount again. */
const PAGE_CACHE_KIB = 16_384;
/** Large pages, because the staged records are read from one end to the other. By default, SQLite keeps 2,000 of them. */
const STAGING = ['temp.page_size = 32768', 'temp.cache_size = -8192'];

/**
 * Stores a dataset, all or nothing. The records may come in any order; the last record of a key counts. A second import
 * of the same dataset changes nothing. Memory does not grow with the dataset. Other processes can
 * always read. They can also write until everything is applied at the end, after reading, sorting, checking and
 * counting. Registrations and ended memberships make `events`. After a large load on PostgreSQL the tables are vacuumed, so that
 * they are fast at once. Throws `DatasetError` for the first line that contradicts other lines or the stored data. Errors of
 * `source` are passed on.
 */
export async function importDataset(
  database: Database,
  source: AsyncIterable<readonly DatasetItem[]>,
  options: ImportOptions,
): Promise<Applied> {
  const applied = await storeDataset(database, source, options);
  if (options.isDryRun === true) return applied;
  const { onStep } = options;
  await vacuumLoaded(database, { counts: applied.counts, onStart: () => onStep?.('vacuum') }).catch(() => {
    // Everything is stored, and autovacuum does the same later.
  });
  return applied;
}

async function storeDataset(
  database: Database,
  source: AsyncIterable<readonly DatasetItem[]>,
  { at, onStep, events = noEvents, isDryRun = false, beforeCommit }: ImportOptions,
): Promise<Applied> {
  return database.bulk(async (bulk) => {
    if (bulk.engine === 'sqlite')
      for (const pragma of [`cache_size = -${PAGE_CACHE_KIB}`, ...STAGING])
        await bulk.run(`PRAGMA ${pragma}`);
    await bulk.temporary(async () => {
      await createStaging(bulk);
      await createPeopleStaging(bulk);
      await createRegistrantStaging(bulk);
      await stageRecords(bulk, source, at);
      await finishStaging(bulk);
    });
    const staged = await countStaged(bulk);
    const deadline = performance.now() + MAX_LOCK_WAIT_MS;
    let wait = FIRST_PAUSE_MS;
    let filled: FilledKinds = new Set();
    for (let attempt = 1; ; ) {
      onStep?.('check');
      await bulk.temporary(async () => {
        await findPeople(bulk);
        filled = await fillIn(bulk, { staged, at, filled });
        await checkStaged(bulk, staged);
      });
      try {
        if (isDryRun) return await bulk.temporary(() => countDataset(bulk, staged));
        onStep?.('apply');
        const stored = await bulk.write(async () => {
          const applied = await applyDataset(bulk, { staged, filled, at, events });
          await beforeCommit?.(bulk, applied);
          const { firstDeliveries } = applied.registrations;
          if (firstDeliveries.size > 0) await database.news.tell(bulk, newsOf(firstDeliveries));
          return applied;
        });
        if (stored.registrations.firstDeliveries.size > 0) database.news.tellCommitted();
        return stored;
      } catch (error) {
        if (isPostgresLockTimeout(error) && performance.now() < deadline) {
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
