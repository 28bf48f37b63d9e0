import type { DeliverySelection, Journal } from '@rollcall/core';
import type { Database } from '../engine/database.js';
import { allOf, raw, SQL, type SqlText } from '../engine/sql-text.js';
import { select } from '../engine/statements.js';
import { replaceSubjects, writeJournal } from '../stores/journal.js';
import { inStates, selected } from './delivery-conditions.js';
import type { StorageDatabase, Transaction } from './waiting-deliveries.js';

/**
 * One transaction changes as many deliveries as it can in about this time, including its commit. Between two
 * transactions other requests can write and, with SQLite, are answered.
 */
const BATCH_MS = 5;
const FIRST_BATCH_ROWS = 20;
const MIN_BATCH_ROWS = 20;
const MAX_BATCH_ROWS = 2_000;
/** The maximum number of deliveries that one statement finds. */
const MAX_FOUND_ROWS = 2_000;

interface ChangeMatching {
  readonly selection: DeliverySelection;
  /** The columns to set. */
  readonly change: SqlText;
  /** Whether the changed deliveries wait to be sent. False by default. */
  readonly waits?: boolean;
  readonly journal: Journal<{ readonly organizationId: number; readonly count: number }> | undefined;
}

interface ChangedDelivery {
  readonly organization_id: number;
  readonly id: number;
}

/**
 * Changes every delivery that matches, in batches, and returns their number. Each batch also updates the count in the
 * audit trail. If the process stops in between, the entry is correct, and a second call changes the rest.
 */
export async function changeMatching(
  database: StorageDatabase,
  { selection, change, waits = false, journal }: ChangeMatching,
): Promise<number> {
  const { engine } = database;
  const isIn = (ids: readonly number[]): SqlText =>
    engine === 'postgres'
      ? SQL`id = ANY (${`{${ids.join()}}`}::bigint[])`
      : SQL`id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  const entriesSoFar = new Map<number, Entries>();
  let count = 0;
  let size = FIRST_BATCH_ROWS;
  for await (const ids of matching(database, { selection, size: () => size })) {
    let startedAt = 0;
    const { changed, now } = await database.write(async (sql) => {
      startedAt = performance.now();
      const changed = await select<ChangedDelivery>(sql)`UPDATE deliveries SET ${change}
        WHERE ${isIn(ids)} AND ${inStates(selection)} AND NOT is_erased
        RETURNING organization_id, id`;
      if (waits) for (const { organization_id: id, id: deliveryId } of changed) sql.waits(id, deliveryId);
      return { changed, now: await updateEntries(sql, { changed, entriesSoFar, journal }) };
    });
    size = nextSize(ids.length, performance.now() - startedAt);
    for (const [organizationId, entry] of now) entriesSoFar.set(organizationId, entry);
    count += changed.length;
  }
  return count;
}

function nextSize(size: number, milliseconds: number): number {
  const fitting = Math.round((size * BATCH_MS) / Math.max(milliseconds, 1));
  return Math.min(Math.max(fitting, MIN_BATCH_ROWS), 2 * size, MAX_BATCH_ROWS);
}

/** The audit entries of one organization so far. */
interface Entries {
  readonly entryIds: readonly number[];
  readonly count: number;
}

interface UpdateEntries extends Pick<ChangeMatching, 'journal'> {
  readonly changed: readonly ChangedDelivery[];
  readonly entriesSoFar: ReadonlyMap<number, Entries>;
}

/** Writes the number of changed deliveries so far into the entries of each organization. */
async function updateEntries(sql: Transaction, { changed, entriesSoFar, journal }: UpdateEntries) {
  const counts = new Map<number, number>();
  for (const { organization_id: id } of changed) counts.set(id, (counts.get(id) ?? 0) + 1);
  const now = new Map<number, Entries>();
  for (const [organizationId, own] of counts) {
    const before = entriesSoFar.get(organizationId);
    const count = own + (before?.count ?? 0);
    const entries = journal?.({ organizationId, count }) ?? [];
    const entryIds = before?.entryIds ?? (await writeJournal(sql, entries));
    if (before !== undefined) await replaceSubjects(sql, entryIds, entries);
    now.set(organizationId, { entryIds, count });
  }
  return now;
}

interface FoundRow {
  readonly id: number;
  readonly created_at: string;
}

/** Finds the ids of the matching deliveries, each once and the oldest first, in batches. */
async function* matching(
  { readAside }: Database,
  { selection, size }: { readonly selection: DeliverySelection; readonly size: () => number },
): AsyncGenerator<readonly number[], void> {
  const found = selected(selection);
  let last: FoundRow | undefined;
  do {
    const rest = last !== undefined && SQL`(created_at, id) > (${last.created_at}, ${last.id})`;
    const aside = readAside(selection.organizationId ?? 0);
    const rows: readonly FoundRow[] = await select<FoundRow>(aside)`SELECT id, created_at FROM deliveries
      WHERE ${allOf(found, rest)} ORDER BY created_at, id LIMIT ${raw(MAX_FOUND_ROWS)}`;
    for (let start = 0; start < rows.length; ) {
      const batch = rows.slice(start, start + size());
      start += batch.length;
      yield batch.map(({ id }) => id);
    }
    last = rows.length < MAX_FOUND_ROWS ? undefined : rows.at(-1);
  } while (last !== undefined);
}
