import type { TimeRange } from '@rollcall/core';
import { type Engine, type SqlValue, timeEdges } from '../engine/database.js';
import { andAllOf, type Condition, type SqlText } from '../engine/sql-text.js';
import { foundMeetings } from '../stores/meeting-search.js';
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

interface Keys extends SqlText {
  /** The columns of the index that has the keys in order. */
  readonly order: readonly string[];
}

/** Builds the condition that a key is within the part. */
type Within = (startTime: string, id: string) => string;

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
  const filter = filterOf(request);
  const lower = after === null ? [lowerBound(engine, starts)] : [after.start_time, after.id];
  // SQLite would compare the bound with every skipped row. PostgreSQL plans better with it.
  const upper = engine === 'sqlite' && starts.before === null ? [] : [upperBound(engine, starts)];
  const values = [organizationId, ...lower, ...upper, ...filter.values];
  const within: Within = (startTime, id) => {
    const later = after === null ? `${startTime} >= ?` : `(${startTime}, ${id}) > (?, ?)`;
    return upper.length === 0 ? later : `${later} AND ${startTime} < ?`;
  };
  const own = `SELECT ${selected ?? columns.join(', ')} FROM meetings
    WHERE meetings.organization_id = ? AND ${within('meetings.start_time', 'meetings.id')}${filter.text}`;
  const tied = tiedKeys(request, { within, bounds: [...lower, ...upper] });
  const all = { text: `${own} UNION ALL ${tied.text}`, values: [...values, ...tied.values] };
  if (max === null) return withServiceMeetings ? all : { text: own, values };
  const by = (...names: readonly string[]) =>
    `ORDER BY ${names.map((name) => (isBackwards ? `${name} DESC` : name)).join(', ')}`;
  // PostgreSQL leaves out what the outer query does not use, unless it is in the order.
  const ordered = `${own} ${by(...columns)}`;
  if (!withServiceMeetings) return { text: ordered, values };
  if (engine === 'postgres') {
    const limit = `LIMIT ${max.text}`;
    return {
      text: `(${ordered} ${limit}) UNION ALL (${tied.text} ${by(...tied.order)} ${limit}) ${by('1', '2')}`,
      values: [...values, ...max.values, ...tied.values, ...max.values],
    };
  }
  return { ...all, text: `${all.text} ${by('1', '2')}` };
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
  {
    skipped,
    wanted,
    isBackwards,
  }: { readonly skipped: string; readonly wanted: string; readonly isBackwards: boolean },
): SqlText {
  const { engine, selection } = request;
  const part = `LIMIT ${wanted} OFFSET ${skipped}`;
  if (engine === 'postgres' || !hasOwnStoredCount(selection)) {
    const max = { text: `${skipped} + ${wanted}`, values: [] };
    const { text, values } = selectedKeys(request, { after: null, max, skipsMany: true, isBackwards });
    return { text: `SELECT start_time, id FROM (${text} ${part}) AS chosen_part`, values };
  }
  const [from, direction] = isBackwards ? ['<= ?', ' DESC'] : ['>= ?', ''];
  const order = ['organization_id', 'start_time', 'id'].map((name) => `meetings.${name}${direction}`);
  return {
    text: `SELECT start_time, id FROM (
        SELECT meetings.organization_id, meetings.start_time, meetings.id FROM meetings
        WHERE meetings.organization_id ${from}${filterOf(request).text} ORDER BY ${order.join(', ')} ${part}
      ) AS chosen_part WHERE organization_id = ?`,
    values: [selection.organizationId, selection.organizationId],
  };
}

/**
 * Selects the keys of service meetings by the ties of the organization or, for upcoming meetings, among the few open
 * meetings of the service. The other conditions are in a subquery: of a join PostgreSQL expects too few rows, and would
 * read and sort all the ties.
 */
function tiedKeys(
  request: SelectedMeetings,
  { within, bounds }: { readonly within: Within; readonly bounds: readonly SqlValue[] },
): Keys {
  const { selection } = request;
  const { organizationId } = selection;
  const filter = filterOf(request);
  if (selection.state === 'upcoming') {
    const text = `SELECT meetings.start_time, meetings.id FROM meetings
      WHERE meetings.organization_id IS NULL AND ${isOpen} AND (
        SELECT ties.meeting_id FROM service_meeting_organizations AS ties
        WHERE ties.meeting_id = meetings.id AND ties.organization_id = ?${filter.text}
      ) IS NOT NULL AND ${within('meetings.start_time', 'meetings.id')}`;
    // The organization is always null. PostgreSQL needs it to recognise the order of the index.
    const order = ['meetings.organization_id', 'meetings.start_time', 'meetings.id'];
    return { text, values: [organizationId, ...filter.values, ...bounds], order };
  }
  const text = `SELECT ties.start_time, ties.meeting_id FROM service_meeting_organizations AS ties
    WHERE ties.organization_id = ? AND ${within('ties.start_time', 'ties.meeting_id')} AND (
      SELECT meetings.id FROM meetings WHERE meetings.organization_id IS NULL
        AND meetings.start_time = ties.start_time AND meetings.id = ties.meeting_id${filter.text}
    ) IS NOT NULL`;
  const values = [organizationId, ...bounds, ...filter.values];
  return { text, values, order: ['ties.start_time', 'ties.meeting_id'] };
}

/** Selects the columns of all selected meetings, in the order of an export. */
export function selectedRows(request: ExportRequest): SqlText {
  const { engine, selection, columns } = request;
  const { organizationId, withServiceMeetings, starts } = selection;
  const names = columns.map(({ key }) => key);
  const filter = filterOf(request);
  const values = [organizationId, lowerBound(engine, starts), upperBound(engine, starts), ...filter.values];
  const own = (
    selected: readonly string[],
  ): string => `SELECT ${selected.map((name) => `meetings.${name}`).join(', ')}
    FROM meetings WHERE meetings.organization_id = ? AND meetings.start_time >= ?
      AND meetings.start_time < ?${filter.text} ORDER BY meetings.start_time, meetings.id`;
  if (!withServiceMeetings) return { text: own(names), values };
  const all = [...new Set([...names, 'start_time', 'id'])];
  const tied = `SELECT ${all.map((name) => (name === 'start_time' ? 'ties.start_time' : `meetings.${name}`)).join(', ')}
    FROM service_meeting_organizations AS ties CROSS JOIN meetings ON meetings.id = ties.meeting_id
    WHERE ties.organization_id = ? AND ties.start_time >= ? AND ties.start_time < ?
      AND meetings.organization_id IS NULL${filter.text} ORDER BY ties.start_time, ties.meeting_id`;
  return {
    text: `SELECT ${names.map((name) => `chosen.${name}`).join(', ')}
      FROM ((${own(all)}) UNION ALL (${tied})) AS chosen ORDER BY chosen.start_time, chosen.id`,
    values: [...values, ...values],
  };
}

export function countOf(request: SelectedMeetings): SqlText {
  const { selection } = request;
  const own = storedCountOf(selection, 'complete_meeting_counts');
  const all = own ?? countRows(request, '= ?', [selection.organizationId]);
  if (!selection.withServiceMeetings) return all;
  const tied =
    storedCountOf(selection, 'tied_meeting_counts') ??
    countRows(
      request,
      'IS NULL AND meetings.id IN (SELECT meeting_id FROM service_meeting_organizations WHERE organization_id = ?)',
      [selection.organizationId],
    );
  return { text: `(${all.text}) + (${tied.text})`, values: [...all.values, ...tied.values] };
}

/** Of a selection in any state. Only completed and open meetings have an index, so canceled ones are what remains. */
export function countCanceled(request: SelectedMeetings): SqlText {
  const counts = (['any', 'past', 'open'] as const).map((state) =>
    countOf({ ...request, selection: { ...request.selection, state } }),
  );
  return {
    text: counts.map(({ text }) => `(${text})`).join(' - '),
    values: counts.flatMap(({ values }) => values),
  };
}

/** Reads the count that triggers maintain, of the organization's own or of service meetings. Null when none fits. */
export function storedCountOf(
  { organizationId, state, eapOnly, starts, updatedSince }: Selection,
  counts: 'complete_meeting_counts' | 'tied_meeting_counts',
): SqlText | null {
  if (state !== 'past' || starts.from !== null || starts.before !== null || updatedSince !== null)
    return null;
  const column = eapOnly ? 'eap_meetings' : 'meetings';
  return {
    text: `coalesce((SELECT ${column} FROM ${counts} WHERE organization_id = ?), 0)`,
    values: [organizationId],
  };
}

function countRows(request: SelectedMeetings, organization: string, values: readonly SqlValue[]): SqlText {
  const filter = filterOf(request);
  const { engine } = request;
  const { starts } = request.selection;
  return {
    text: `SELECT count(*) FROM meetings WHERE meetings.organization_id ${organization}
      AND meetings.start_time >= ? AND meetings.start_time < ?${filter.text}`,
    values: [...values, lowerBound(engine, starts), upperBound(engine, starts), ...filter.values],
  };
}

/** The same condition as in the index of open meetings. */
const isOpen = `meetings.status NOT IN ('complete', 'cancel')`;

/** Conditions of `meetings`, each after an AND. */
function filterOf({ engine, selection, words = [] }: SelectedMeetings): SqlText {
  const { state, eapOnly, now, updatedSince } = selection;
  return andAllOf(
    inState(state, now),
    eapOnly && ['meetings.eap'],
    updatedSince !== null && ['meetings.updated_at >= ?', updatedSince],
    foundMeetings(engine, words),
  );
}

function inState(state: Selection['state'], now: Date): Condition {
  if (state === 'any') return false;
  if (state === 'past') return [`meetings.status = 'complete'`];
  if (state === 'canceled') return [`meetings.status = 'cancel'`];
  if (state === 'open') return [isOpen];
  return [`${isOpen} AND meetings.end_time ${state === 'upcoming' ? '>' : '<='} ?`, now];
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
