import type { BuildAuditEntries, DeliverySelection } from '@rollcall/core';
import type { Database, Sql, SqlValue } from '../engine/database.js';
import { insertEntries, replaceSubjects } from '../stores/audit-trail.js';
import { inStates, selected } from './delivery-conditions.js';

/**
 * Deliveries that one transaction changes: as many as take about this long, as others write and, with SQLite, are
 * answered between two of them.
 */
const BATCH_MS = 5;
const FIRST_BATCH = 50;
const MIN_BATCH = 20;
const MAX_BATCH = 2_000;
/** Deliveries that are found in one go. */
const FOUND = 5_000;

interface ChangeMatching {
  readonly selection: DeliverySelection;
  /** What is set. */
  readonly change: string;
  readonly values?: readonly SqlValue[];
  readonly buildEntries:
    | BuildAuditEntries<{ readonly organizationId: number; readonly count: number }>
    | undefined;
}

interface ChangedDelivery {
  readonly organization_id: number;
  readonly id: number;
}

interface Changed {
  readonly count: number;
  /** Of each organization the lowest number among those that were changed. */
  readonly oldest: ReadonlyMap<number, number>;
}

/**
 * Changes every delivery that matches, in batches, each with what the audit trail says of it so far: what is cut off
 * leaves a true entry, and asking again changes the rest.
 */
export async function changeMatching(
  database: Database,
  { selection, change, values = [], buildEntries }: ChangeMatching,
): Promise<Changed> {
  const { engine } = database;
  const among = engine === 'postgres' ? 'id = ANY (?::bigint[])' : 'id IN (SELECT value FROM json_each(?))';
  const noted = new Map<number, Noted>();
  const oldest = new Map<number, number>();
  let count = 0;
  let size = FIRST_BATCH;
  for await (const ids of matching(database, { selection, size: () => size })) {
    let begun = 0;
    const { changed, now } = await database.write(async (sql) => {
      begun = performance.now();
      const changed = await sql.all<ChangedDelivery>(
        `UPDATE deliveries SET ${change}
        WHERE ${among} AND (${inStates(selection)})
        RETURNING organization_id, id`,
        [...values, engine === 'postgres' ? `{${ids.join()}}` : JSON.stringify(ids)],
      );
      return { changed, now: await noteAll(sql, { changed, noted, buildEntries }) };
    });
    size = nextSize(ids.length, performance.now() - begun);
    for (const [organizationId, entry] of now) noted.set(organizationId, entry);
    for (const { organization_id: id, id: deliveryId } of changed)
      oldest.set(id, Math.min(deliveryId, oldest.get(id) ?? deliveryId));
    count += changed.length;
  }
  return { count, oldest };
}

function nextSize(size: number, milliseconds: number): number {
  const fitting = Math.round((size * BATCH_MS) / Math.max(milliseconds, 1));
  return Math.min(Math.max(fitting, MIN_BATCH), 2 * size, MAX_BATCH);
}

/** What the audit trail says of an organization's deliveries so far. */
interface Noted {
  readonly entryIds: readonly number[];
  readonly count: number;
}

interface NoteAll extends Pick<ChangeMatching, 'buildEntries'> {
  readonly changed: readonly ChangedDelivery[];
  readonly noted: ReadonlyMap<number, Noted>;
}

/** The entries of each organization say how many of its own were changed so far. */
async function noteAll(
  sql: Sql,
  { changed, noted, buildEntries }: NoteAll,
): Promise<ReadonlyMap<number, Noted>> {
  const counts = new Map<number, number>();
  for (const { organization_id: id } of changed) counts.set(id, (counts.get(id) ?? 0) + 1);
  const now = new Map<number, Noted>();
  for (const [organizationId, own] of counts) {
    const before = noted.get(organizationId);
    const count = own + (before?.count ?? 0);
    const entries = buildEntries?.({ organizationId, count }) ?? [];
    const entryIds = before?.entryIds ?? (await insertEntries(sql, entries));
    if (before !== undefined) await replaceSubjects(sql, { entryIds, entries });
    now.set(organizationId, { entryIds, count });
  }
  return now;
}

interface FoundRow {
  readonly id: number;
  readonly created_at: string;
}

/** The numbers of those that match, a batch at a time, the oldest first. Each is given once. */
async function* matching(
  { readAside }: Database,
  { selection, size }: { readonly selection: DeliverySelection; readonly size: () => number },
): AsyncGenerator<readonly number[], void> {
  const { conditions, values } = selected(selection);
  let last: FoundRow | undefined;
  do {
    const rows: readonly FoundRow[] = await readAside(selection.organizationId ?? 0).all<FoundRow>(
      `SELECT id, created_at FROM deliveries
      WHERE ${conditions}${last === undefined ? '' : ' AND (created_at, id) > (?, ?)'}
      ORDER BY created_at, id LIMIT ${FOUND}`,
      [...values, ...(last === undefined ? [] : [last.created_at, last.id])],
    );
    for (let start = 0; start < rows.length; ) {
      const batch = rows.slice(start, start + size());
      start += batch.length;
      yield batch.map(({ id }) => id);
    }
    last = rows.length < FOUND ? undefined : rows.at(-1);
  } while (last !== undefined);
}
