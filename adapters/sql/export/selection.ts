import type { TimeRange } from '@rollcall/core';
import { type Engine, timeEdges } from '../engine/database.js';
import { allOf, andAllOf, type Condition, raw, SQL, type SqlText } from '../engine/sql-text.js';
import { foundMeetings } from '../stores/text-search.js';
import type { ExportRequest, RowKey, SelectedMeetings, Selection } from './export-request.js';

interface Part {
  /** Null for the first rows. */
  readonly after: RowKey | null;
  /** The maximum number of keys, as an SQL text. Null: all of them, in any order. */
  readonly max: SqlText | null;
  /** From the last row to the first. */
  readonly isBackwards?: boolean;
  /** The SQL columns to select from the organization's own meetings, instead of their keys. */
  readonly selected?: string;
  /** Whether many rows are skipped. Without service meetings, the organization's id is then selected before the key. */
  readonly skipsMany?: boolean;
}

/** Builds the condition that a key is within the part. */
type Within = (startTime: string, id: string) => SqlText;

/**
 * Selects the start times and ids of the selected meetings after the key, in order. The organization's own meetings and
 * the ties of service meetings each have an index in this order, so that neither is sorted. PostgreSQL also needs a
 * limit for each of the two: otherwise it sorts all rows of both, again for each chunk.
 */
export function selectedKeys(
  request: SelectedMeetings,
  { after, max, isBackwards = false, skipsMany = false, selected }: Part,
): SqlText {
  const { engine, selection } = request;
  const { organizationId, withServiceMeetings, starts } = selection;
  const key = ['meetings.start_time', 'meetings.id'];
  // PostgreSQL skips entries of the index a sixth faster if it does not have to take columns out of each.
  const isEntry = engine === 'postgres' && skipsMany && !withServiceMeetings;
  const columns = isEntry ? ['meetings.organization_id', ...key] : key;
  const within: Within = (startTime, id) => {
    const [start, key] = [raw(startTime), raw(`(${startTime}, ${id})`)];
    return allOf(
      after === null
        ? SQL`${start} >= ${lowerBound(engine, starts)}`
        : SQL`${key} > (${after.start_time}, ${after.id})`,
      // SQLite would compare the bound with every skipped row. PostgreSQL plans better with it.
      (engine === 'postgres' || starts.before !== null) && SQL`${start} < ${upperBound(engine, starts)}`,
    );
  };
  const own = SQL`SELECT ${raw(selected ?? columns.join(', '))} FROM meetings
    WHERE meetings.organization_id = ${organizationId}
      AND ${within('meetings.start_time', 'meetings.id')}${filterOf(request)}`;
  const tied = tiedKeys(request, within);
  const all = SQL`${own} UNION ALL ${tied.keys}`;
  if (max === null) return withServiceMeetings ? all : own;
  const by = (...names: readonly string[]) =>
    raw(`ORDER BY ${names.map((name) => (isBackwards ? `${name} DESC` : name)).join(', ')}`);
  // PostgreSQL leaves out what the outer query does not use, unless it is in the order.
  const ordered = SQL`${own} ${by(...columns)}`;
  if (!withServiceMeetings) return ordered;
  if (engine === 'sqlite') return SQL`${all} ${by('1', '2')}`;
  const limit = SQL`LIMIT ${max}`;
  return SQL`(${ordered} ${limit}) UNION ALL (${tied.keys} ${by(...tied.order)} ${limit}) ${by('1', '2')}`;
}

/** Whether the selection is all past meetings of the organization itself, whose number is stored. */
function hasOwnStoredCount(selection: Selection): boolean {
  const { withServiceMeetings, eapOnly } = selection;
  return !withServiceMeetings && !eapOnly && storedCountOf(selection, 'complete_meeting_counts') !== null;
}

/**
 * Selects the keys of a part of a page that comes after many others, or before many. `skipped` and `wanted` are numbers of
 * rows, as SQL texts.
 *
 * SQLite skips rows a third faster if it does not ask of each whether it still belongs to the organization. It need not
 * where their number is stored: the part ends before the organization's meetings do. The few rows that are left are
 * still asked.
 */
export function distantKeys(
  request: ExportRequest,
  { skipped, wanted }: Readonly<Record<'skipped' | 'wanted', SqlText>>,
  isBackwards: boolean,
): SqlText {
  const { engine, selection } = request;
  const part = SQL`LIMIT ${wanted} OFFSET ${skipped}`;
  if (engine === 'postgres' || !hasOwnStoredCount(selection)) {
    const max = SQL`${skipped} + ${wanted}`;
    const keys = selectedKeys(request, { after: null, max, skipsMany: true, isBackwards });
    return SQL`SELECT start_time, id FROM (${keys} ${part}) AS chosen_part`;
  }
  const [comparison, direction] = isBackwards ? ['<=', ' DESC'] : ['>=', ''];
  const order = ['organization_id', 'start_time', 'id'].map((name) => `meetings.${name}${direction}`);
  return SQL`SELECT start_time, id FROM (
        SELECT meetings.organization_id, meetings.start_time, meetings.id FROM meetings
        WHERE meetings.organization_id ${raw(comparison)} ${selection.organizationId}${filterOf(request)}
        ORDER BY ${raw(order.join(', '))} ${part}
      ) AS chosen_part WHERE organization_id = ${selection.organizationId}`;
}

/**
 * Selects the keys of service meetings by the ties of the organization or, for upcoming meetings, among the few open
 * meetings of the service. The other conditions are in a subquery: of a join PostgreSQL expects too few rows, and would
 * read and sort all the ties. `order`: the columns of the index that has the keys in order.
 */
function tiedKeys(request: SelectedMeetings, within: Within) {
  const { organizationId, state } = request.selection;
  const filter = filterOf(request);
  if (state === 'upcoming') {
    const keys = SQL`SELECT meetings.start_time, meetings.id FROM meetings
      WHERE meetings.organization_id IS NULL AND ${isOpen} AND (
        SELECT ties.meeting_id FROM service_meeting_organizations AS ties
        WHERE ties.meeting_id = meetings.id AND ties.organization_id = ${organizationId}${filter}
      ) IS NOT NULL AND ${within('meetings.start_time', 'meetings.id')}`;
    // The organization is always null. PostgreSQL needs it to recognise the order of the index.
    const order = ['meetings.organization_id', 'meetings.start_time', 'meetings.id'];
    return { keys, order };
  }
  const keys = SQL`SELECT ties.start_time, ties.meeting_id FROM service_meeting_organizations AS ties
    WHERE ties.organization_id = ${organizationId} AND ${within('ties.start_time', 'ties.meeting_id')} AND (
      SELECT meetings.id FROM meetings WHERE meetings.organization_id IS NULL
        AND meetings.start_time = ties.start_time AND meetings.id = ties.meeting_id${filter}
    ) IS NOT NULL`;
  return { keys, order: ['ties.start_time', 'ties.meeting_id'] };
}

/** Selects the columns of all selected meetings, in the order of an export. */
export function selectedRows(request: ExportRequest): SqlText {
  const { engine, selection, columns } = request;
  const { organizationId, withServiceMeetings, starts } = selection;
  const names = columns.map(({ key }) => key);
  const filter = filterOf(request);
  const [from, before] = [lowerBound(engine, starts), upperBound(engine, starts)];
  const list = (selected: readonly string[], tableOf: (name: string) => string): SqlText =>
    raw(selected.map((name) => `${tableOf(name)}.${name}`).join(', '));
  const own = (selected: readonly string[]): SqlText => SQL`SELECT ${list(selected, () => 'meetings')}
    FROM meetings WHERE meetings.organization_id = ${organizationId} AND meetings.start_time >= ${from}
      AND meetings.start_time < ${before}${filter} ORDER BY meetings.start_time, meetings.id`;
  if (!withServiceMeetings) return own(names);
  const all = [...new Set([...names, 'start_time', 'id'])];
  const tied = SQL`SELECT ${list(all, (name) => (name === 'start_time' ? 'ties' : 'meetings'))}
    FROM service_meeting_organizations AS ties CROSS JOIN meetings ON meetings.id = ties.meeting_id
    WHERE ties.organization_id = ${organizationId} AND ties.start_time >= ${from} AND ties.start_time < ${before}
      AND meetings.organization_id IS NULL${filter} ORDER BY ties.start_time, ties.meeting_id`;
  return SQL`SELECT ${list(names, () => 'chosen')}
      FROM ((${own(all)}) UNION ALL (${tied})) AS chosen ORDER BY chosen.start_time, chosen.id`;
}

export function countOf(request: SelectedMeetings): SqlText {
  const { selection } = request;
  const { organizationId, withServiceMeetings } = selection;
  const own =
    storedCountOf(selection, 'complete_meeting_counts') ?? countRows(request, SQL`= ${organizationId}`);
  if (!withServiceMeetings) return own;
  const isTied = SQL`IS NULL AND meetings.id IN (
      SELECT meeting_id FROM service_meeting_organizations WHERE organization_id = ${organizationId}
    )`;
  const tied = storedCountOf(selection, 'tied_meeting_counts') ?? countRows(request, isTied);
  return SQL`(${own}) + (${tied})`;
}

/** Of a selection in any state. Only completed and open meetings have an index, so canceled ones are what remains. */
export function countCanceled(request: SelectedMeetings): SqlText {
  const count = (state: 'any' | 'past' | 'open') =>
    countOf({ ...request, selection: { ...request.selection, state } });
  return SQL`(${count('any')}) - (${count('past')}) - (${count('open')})`;
}

/** Reads the count that triggers maintain, of the organization's own or of service meetings. Null when none fits. */
export function storedCountOf(
  { organizationId, state, eapOnly, starts, updatedSince }: Selection,
  counts: 'complete_meeting_counts' | 'tied_meeting_counts',
): SqlText | null {
  if (state !== 'past' || starts.from !== null || starts.before !== null || updatedSince !== null)
    return null;
  const column = raw(eapOnly ? 'eap_meetings' : 'meetings');
  return SQL`coalesce((SELECT ${column} FROM ${raw(counts)} WHERE organization_id = ${organizationId}), 0)`;
}

function countRows(request: SelectedMeetings, organization: SqlText): SqlText {
  const { engine } = request;
  const { starts } = request.selection;
  return SQL`SELECT count(*) FROM meetings WHERE meetings.organization_id ${organization}
      AND meetings.start_time >= ${lowerBound(engine, starts)}
      AND meetings.start_time < ${upperBound(engine, starts)}${filterOf(request)}`;
}

/** The same condition as in the index of open meetings. */
const isOpen = raw(`meetings.status NOT IN ('complete', 'cancel')`);

/** Conditions of `meetings`, each after an AND. */
function filterOf({ engine, selection, words = [] }: SelectedMeetings): SqlText {
  const { state, eapOnly, now, updatedSince } = selection;
  return andAllOf(
    inState(state, now),
    eapOnly && raw('meetings.eap'),
    updatedSince !== null && SQL`meetings.updated_at >= ${updatedSince}`,
    foundMeetings(engine, words),
  );
}

function inState(state: Selection['state'], now: Date): Condition {
  if (state === 'any') return false;
  if (state === 'past') return raw(`meetings.status = 'complete'`);
  if (state === 'canceled') return raw(`meetings.status = 'cancel'`);
  if (state === 'open') return isOpen;
  return SQL`${isOpen} AND meetings.end_time ${raw(state === 'upcoming' ? '>' : '<=')} ${now}`;
}

function lowerBound(engine: Engine, { from }: TimeRange): string {
  return from === null ? timeEdges[engine].before : asStored(engine, from);
}

function upperBound(engine: Engine, { before }: TimeRange): string {
  return before === null ? timeEdges[engine].after : asStored(engine, before);
}

/** Years without four digits don't sort as text, or PostgreSQL rejects them. No meeting starts in such a year. */
function asStored(engine: Engine, timestamp: Date): string {
  const year = timestamp.getUTCFullYear();
  if (year > 9999) return timeEdges[engine].after;
  return year < 1 ? timeEdges[engine].before : timestamp.toISOString();
}
