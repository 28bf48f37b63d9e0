import type { Bulk, Database } from '../engine/database.js';
import { raw } from '../engine/sql-text.js';
import { exists } from '../engine/statements.js';
import { isPostgresInTransaction } from '../postgres/errors.js';
import type { ImportCounts } from './apply-dataset.js';
import { type DatasetKind, kinds } from './staged-kinds.js';

/** Smaller imports are left to autovacuum, as PostgreSQL itself does by default. */
const MIN_ROWS = 1_000;
/** The share of a table that an import stores at least. Otherwise a large table would be read for a few rows. */
const MIN_SHARE = 0.1;
/** The share of pages that index-only scans can skip. A table with more of them needs no vacuum. */
const MAX_VISIBLE_SHARE = 0.8;

/** The tables that are filled together with those of a kind. */
const derivedTables: Partial<Record<DatasetKind, readonly string[]>> = {
  meeting: ['service_meeting_organizations', 'complete_meeting_counts', 'tied_meeting_counts'],
};

/**
 * After a load, vacuums and analyzes the tables that it has filled, if they are new or have grown much. Until then,
 * PostgreSQL reads the table for every row of an index-only scan, and plans without statistics; autovacuum would come a
 * minute or more later. Others can read and write meanwhile. Through a pooler, the tables are only analyzed. Does nothing
 * on SQLite, which needs neither. `onStart` is called before it begins.
 */
export async function vacuumLoaded(
  database: Database,
  { counts, onStart }: { readonly counts: ImportCounts; readonly onStart: () => void },
): Promise<void> {
  if (database.engine === 'sqlite') return;
  const loaded = Object.entries(counts).flatMap(([name, { stored }]) =>
    stored === 0 ? [] : [{ kind: name as DatasetKind, stored }],
  );
  const large = loaded.filter(({ stored }) => stored >= MIN_ROWS);
  if (large.length === 0) return;
  const tables = loaded.flatMap(({ kind }) => [kinds[kind].table, ...(derivedTables[kind] ?? [])]).join(', ');
  try {
    await database.bulk(async (bulk) => {
      if (!(await needsVacuum(bulk, large))) return;
      onStart();
      await bulk.run(`VACUUM (ANALYZE, SKIP_LOCKED) ${tables}`);
    });
  } catch (error) {
    if (!isPostgresInTransaction(error)) throw error;
    await database.bulk((bulk) => bulk.run(`ANALYZE ${tables}`));
  }
}

async function needsVacuum(
  bulk: Bulk,
  large: readonly { readonly kind: DatasetKind; readonly stored: number }[],
): Promise<boolean> {
  for (const { kind, stored } of large) {
    const isDue = await exists(bulk)`FROM pg_class
        WHERE oid = to_regclass('${raw(kinds[kind].table)}')
        AND CAST(${stored} AS bigint) >= ${raw(MIN_SHARE)} * reltuples
        AND relallvisible < ${raw(MAX_VISIBLE_SHARE)} * pg_relation_size(oid) /
          current_setting('block_size')::int`;
    if (isDue) return true;
  }
  return false;
}
