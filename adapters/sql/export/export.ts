import { setImmediate } from 'node:timers/promises';
import {
  type ExportColumn,
  type ExportedRows,
  type ExportForm,
  formulaBeginnings,
  type MeetingSelection,
  type Meetings,
  type TimeRange,
} from '@rollcall/core';
import pLimit, { type LimitFunction } from 'p-limit';
import { type Copy, type Database, type Engine, only, type SqlValue } from '../engine/database.js';
import { rowEncoder } from './export-rows.js';

const ROWS_A_CHUNK = 500;
/** Before and after every stored moment. */
const edges: Record<Engine, { readonly before: string; readonly after: string }> = {
  sqlite: { before: '', after: '~' },
  postgres: { before: '-infinity', after: 'infinity' },
};

interface Text {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** The last row that was read; the next ones come after it. */
interface Key {
  readonly start_time: string;
  readonly id: number;
}

interface Request {
  readonly engine: Engine;
  readonly selection: MeetingSelection;
  readonly columns: readonly ExportColumn[];
  readonly form: ExportForm;
}

/** The rows leave the database as one text, many at once: building them here would take four times as long. */
export function exportMeetings(database: Database): Meetings['export'] {
  // Reading a chunk blocks for some milliseconds: between two of them, also of two exports, others are served.
  const betweenChunks = pLimit(1);
  const { engine } = database;
  return async ({ selection, columns, form, page }) => {
    const request = { engine, selection, columns, form };
    if (page === null) return { total: null, chunks: allChunks(database, request, betweenChunks) };
    return readPage(database, request, page);
  };
}

async function* allChunks(
  database: Database,
  request: Request,
  betweenChunks: LimitFunction,
): AsyncGenerator<Uint8Array> {
  const { organizationId, eapOnly, state } = request.selection;
  // An index has the rows of all other selections together: these may lie far apart.
  const isHeavy = eapOnly || state === 'upcoming';
  const snapshot = await database.snapshot({ organizationId, isHeavy });
  try {
    if (snapshot.copy !== undefined) return yield* copiedRows(snapshot.copy, request);
    let after: Key | null | undefined = null;
    while (after !== undefined) {
      const keys = selectedKeys(request, { after, most: aChunk });
      const last: Key | undefined = await snapshot.get(
        `${keys.text} LIMIT 1 OFFSET ${ROWS_A_CHUNK - 1}`,
        keys.values,
      );
      const rows = nextRows(request, after);
      const { encoded } = only(await snapshot.all<EncodedRows>(rows.text, rows.values));
      if (encoded === null) return;
      if (last === undefined) await snapshot.release();
      yield after === null ? beginning(request, encoded) : bytesOf(encoded);
      await betweenChunks(() => setImmediate());
      after = last;
    }
  } finally {
    await snapshot.release();
  }
}

const aChunk: Text = { text: String(ROWS_A_CHUNK), values: [] };

/** Where there are only the organization's own, each is read where it is found, and not again by its id. */
function nextRows(request: Request, after: Key | null): Text {
  const selected = `${rowText(request)} AS encoded`;
  const isDirect = request.engine === 'sqlite' && !request.selection.withServiceMeetings;
  const rows = selectedKeys(request, { after, most: aChunk, ...(isDirect && { selected }) });
  const chunk = { text: `${rows.text} LIMIT ${ROWS_A_CHUNK}`, values: rows.values };
  if (!isDirect) return rowsOf(request, chunk);
  return {
    text: `SELECT CAST(group_concat(encoded, '') AS BLOB) AS encoded FROM (${chunk.text})`,
    values: chunk.values,
  };
}

/** On PostgreSQL: one statement, whose rows are made here of what COPY gives. */
async function* copiedRows(copy: Copy, request: Request): AsyncGenerator<Uint8Array> {
  const { text, values } = selectedRows(request);
  const { columns, form } = request;
  let isFirst = true;
  for await (const rows of copy(text, values, rowEncoder(columns, form))) {
    yield isFirst && form === 'json' ? rows.subarray(1) : rows;
    isFirst = false;
  }
}

/** Which rows of a selection; `limit` is one at least. */
interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** So many pages in, the rows before a page take longer to pass over than it does to see which end is nearer. */
const DEEP = 10;

/** Rows before a page that are passed over in some milliseconds; those of two tables have to be put in order. */
const FEW = { own: 100_000, withServiceMeetings: 5_000 };

/** Whether it may take long: what is not counted as it changes is counted now, and EAP meetings may lie far apart. */
function isHeavyPage({ selection }: Request, { offset }: Page): boolean {
  const { eapOnly, withServiceMeetings } = selection;
  const isCounted = countedOf(selection, 'complete_meeting_counts') !== null;
  return !isCounted || eapOnly || offset > (withServiceMeetings ? FEW.withServiceMeetings : FEW.own);
}

/** Rows and total by one statement, and so from one snapshot. */
async function readPage(database: Database, request: Request, page: Page): Promise<ExportedRows> {
  const isDeep = page.offset >= DEEP * page.limit;
  const { text, values } = isDeep ? deepPage(request, page) : earlyPage(request, page);
  const { organizationId } = request.selection;
  const read = isHeavyPage(request, page) ? database.readAside(organizationId) : database.read;
  const { encoded, count } = only(await read.all<EncodedRows & { count: number }>(text, values));
  return { total: count, chunks: oneChunk(request, encoded) };
}

/**
 * The casts are for SQLite: it looks at the value of a bare `LIMIT ?` when it plans, and so prepares the
 * statement anew for every page.
 */
function earlyPage(request: Request, { offset, limit }: Page): Text {
  const most = { text: 'CAST(? AS BIGINT)', values: [offset + limit] };
  const keys = selectedKeys(request, { after: null, most });
  const rows = rowsOf(request, {
    text: `${keys.text} LIMIT CAST(? AS BIGINT) OFFSET CAST(? AS BIGINT)`,
    values: [...keys.values, limit, offset],
  });
  const total = countOf(request);
  return {
    text: `SELECT (${rows.text}) AS encoded, (${total.text}) AS count`,
    values: [...rows.values, ...total.values],
  };
}

/**
 * Counts first, and then passes over what lies between the page and the end that is nearer to it, in the index
 * alone; from the other end nothing is read.
 */
function deepPage(request: Request, { offset, limit }: Page): Text {
  const total = countOf(request);
  const most = (rows: string): Text => ({ text: `(SELECT ${rows} FROM ways)`, values: [] });
  const forward = selectedKeys(request, { after: null, most: most('skipped + wanted') });
  const back = selectedKeys(request, {
    after: null,
    most: most('skipped_back + wanted_back'),
    isBackwards: true,
  });
  const rows = sortedRowsOf(request, {
    text: `SELECT start_time, id FROM (
        ${forward.text} LIMIT (SELECT wanted FROM ways) OFFSET (SELECT skipped FROM ways)
      ) AS first_ones
      UNION ALL
      SELECT start_time, id FROM (
        ${back.text} LIMIT (SELECT wanted_back FROM ways) OFFSET (SELECT skipped_back FROM ways)
      ) AS last_ones`,
    values: [...forward.values, ...back.values],
  });
  return {
    text: `WITH page AS MATERIALIZED (
        SELECT (${total.text}) AS total, CAST(? AS BIGINT) AS size, CAST(? AS BIGINT) AS skipped
      ), ways AS MATERIALIZED (
        SELECT total, skipped, CASE WHEN 2 * skipped <= total THEN size ELSE 0 END AS wanted,
          CASE WHEN total - skipped > size THEN total - skipped - size ELSE 0 END AS skipped_back,
          CASE WHEN 2 * skipped <= total OR skipped >= total THEN 0
            WHEN total - skipped < size THEN total - skipped ELSE size END AS wanted_back
        FROM page
      )
      SELECT (${rows.text}) AS encoded, (SELECT total FROM ways) AS count`,
    values: [...total.values, limit, offset, ...rows.values],
  };
}

interface EncodedRows {
  /** SQLite gives the bytes, PostgreSQL a text; null: there is no row. */
  readonly encoded: Uint8Array | string | null;
}

async function* oneChunk(request: Request, encoded: Uint8Array | string | null): AsyncGenerator<Uint8Array> {
  if (encoded !== null) yield beginning(request, encoded);
}

function bytesOf(encoded: Uint8Array | string): Uint8Array {
  return typeof encoded === 'string' ? Buffer.from(encoded) : encoded;
}

/** With `json` every row is written with a comma before it, and the first one has none. */
function beginning({ form }: Request, encoded: Uint8Array | string): Uint8Array {
  return form === 'json' ? bytesOf(encoded).subarray(1) : bytesOf(encoded);
}

/** The rows of the keys as one text, in their order. */
function rowsOf(request: Request, keys: Text): Text {
  if (request.engine === 'postgres') return rowsOnPostgres(request, keys);
  return {
    text: `SELECT CAST(group_concat(encoded, '') AS BLOB) AS encoded FROM (
      SELECT ${rowText(request)} AS encoded
      FROM (${keys.text}) AS chosen CROSS JOIN meetings ON meetings.id = chosen.id
      ORDER BY chosen.start_time, chosen.id
    )`,
    values: keys.values,
  };
}

/** The rows of few keys that are in no order. */
function sortedRowsOf(request: Request, keys: Text): Text {
  if (request.engine === 'postgres') return rowsOnPostgres(request, keys);
  return {
    text: `SELECT CAST(group_concat(encoded, '' ORDER BY start_time, id) AS BLOB) AS encoded FROM (
      SELECT ${rowText(request)} AS encoded, chosen.start_time, chosen.id
      FROM (${keys.text}) AS chosen CROSS JOIN meetings ON meetings.id = chosen.id
    )`,
    values: keys.values,
  };
}

function rowsOnPostgres(request: Request, keys: Text): Text {
  return {
    text: `SELECT string_agg(
        (SELECT ${rowText(request)} FROM meetings WHERE meetings.id = chosen.id),
        '' ORDER BY chosen.start_time, chosen.id
      ) AS encoded FROM (${keys.text}) AS chosen`,
    values: keys.values,
  };
}

function rowText({ engine, columns, form }: Request): string {
  if (form === 'csv') return csvText(engine, columns);
  const members = columns.map(
    (column, index) => `'${index === 0 ? '' : ','}"${column.as}":', ${jsonValue[engine](column)}`,
  );
  const [before, after] = form === 'json' ? [',{', '}'] : ['{', '}\n'];
  return `concat('${before}', ${[...members, `'${after}'`].join(', ')})`;
}

function csvText(engine: Engine, columns: readonly ExportColumn[]): string {
  const cells = columns.map((column) => csvValue(engine, column)).join(`, ',', `);
  return `concat(${cells}, '\r\n')`;
}

const beginnings = formulaBeginnings.map((beginning) => `'${beginning}'`).join(', ');

/** What is not text is written as JSON has it, null as nothing. */
function csvValue(engine: Engine, column: ExportColumn): string {
  const value = `meetings.${column.key}`;
  switch (column.type) {
    case 'string':
    case 'text or null':
      return `CASE WHEN ${value} IS NOT NULL THEN concat('"',
        CASE WHEN substr(${value}, 1, 1) IN (${beginnings}) THEN '''' ELSE '' END, replace(${value}, '"', '""'), '"') END`;
    case 'instant':
      return engine === 'sqlite' ? value : `to_char(${value}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
    case 'integer or null':
      return value;
    default:
      return jsonValue[engine](column);
  }
}

const jsonValue: Record<Engine, (column: ExportColumn) => string> = {
  sqlite: sqliteValue,
  postgres: postgresValue,
};

function sqliteValue({ key, type }: ExportColumn): string {
  switch (type) {
    case 'string':
    case 'text or null':
      return `json_quote(meetings.${key})`;
    case 'instant':
      return `'"', meetings.${key}, '"'`;
    case 'integer':
      return `meetings.${key}`;
    case 'integer or null':
      return `coalesce(meetings.${key}, 'null')`;
    case 'price':
      return `coalesce(meetings.${key}, '0')`;
    case 'boolean':
      return `iif(meetings.${key}, 'true', 'false')`;
  }
}

function postgresValue({ key, type }: ExportColumn): string {
  switch (type) {
    case 'string':
    case 'text or null':
      return `coalesce(to_json(meetings.${key})::text, 'null')`;
    case 'instant':
      return `to_char(meetings.${key}, '"\\""YYYY-MM-DD"T"HH24:MI:SS.MS"Z\\""')`;
    case 'integer':
      return `meetings.${key}`;
    case 'integer or null':
      return `coalesce(meetings.${key}::text, 'null')`;
    case 'price':
      return `coalesce(meetings.${key}, '0')`;
    case 'boolean':
      return `CASE WHEN meetings.${key} THEN 'true' ELSE 'false' END`;
  }
}

interface Part {
  /** Null: from the first one. */
  readonly after: Key | null;
  /** How many are wanted of them, as a text with its values. */
  readonly most: Text;
  /** From the last one. */
  readonly isBackwards?: boolean;
  /** What is selected of the organization's own meetings in the place of their keys. */
  readonly selected?: string;
}

interface Keys {
  readonly text: string;
  /** Columns by which an index has them in order. */
  readonly order: readonly string[];
}

/** That a key is one of the part. */
type Within = (startTime: string, id: string) => string;

/**
 * Start times and ids of what is selected after the key, in order. An index has both the own meetings and the
 * ties of the service meetings in this order, so that neither is sorted, however many there are. PostgreSQL has
 * to be told how many of each are enough: else it sorts all of both, again for each chunk.
 */
function selectedKeys(
  request: Request,
  { after, most, isBackwards = false, selected = 'meetings.start_time, meetings.id' }: Part,
): Text {
  const { engine, selection } = request;
  const { organizationId, withServiceMeetings, starts } = selection;
  const filter = filterOf(selection);
  const lower = after === null ? [lowerBound(engine, starts)] : [after.start_time, after.id];
  // SQLite would compare it with every row that is passed over; PostgreSQL plans better with it.
  const upper = engine === 'sqlite' && starts.before === null ? [] : [upperBound(engine, starts)];
  const values = [organizationId, ...lower, ...upper, ...filter.values];
  const tiedValues = [organizationId, ...filter.values, ...lower, ...upper];
  const within: Within = (startTime, id) => {
    const later = after === null ? `${startTime} >= ?` : `(${startTime}, ${id}) > (?, ?)`;
    return upper.length === 0 ? later : `${later} AND ${startTime} < ?`;
  };
  const own = `SELECT ${selected} FROM meetings
    WHERE meetings.organization_id = ? AND ${within('meetings.start_time', 'meetings.id')}${filter.text}`;
  const tied = tiedKeys(request, within);
  const by = (...columns: readonly string[]) =>
    `ORDER BY ${columns.map((column) => (isBackwards ? `${column} DESC` : column)).join(', ')}`;
  const ordered = `${own} ${by('meetings.start_time', 'meetings.id')}`;
  if (!withServiceMeetings) return { text: ordered, values };
  if (engine === 'postgres') {
    const limit = `LIMIT ${most.text}`;
    return {
      text: `(${ordered} ${limit}) UNION ALL (${tied.text} ${by(...tied.order)} ${limit}) ${by('1', '2')}`,
      values: [...values, ...most.values, ...tiedValues, ...most.values],
    };
  }
  return { text: `${own} UNION ALL ${tied.text} ${by('1', '2')}`, values: [...values, ...tiedValues] };
}

/**
 * The keys of the service's meetings: found by the ties of the organization, or where only those are wanted that
 * are still to come, among the service's open ones, which are few. What else is asked of each stands in a subquery:
 * of a join PostgreSQL expects so few rows that it reads and sorts all the ties.
 */
function tiedKeys({ selection }: Request, within: Within): Keys {
  const filter = filterOf(selection).text;
  if (selection.state === 'upcoming') {
    const text = `SELECT meetings.start_time, meetings.id FROM meetings
      WHERE meetings.organization_id IS NULL AND ${isOpen} AND (
        SELECT ties.meeting_id FROM service_meeting_organizations AS ties
        WHERE ties.meeting_id = meetings.id AND ties.organization_id = ?${filter}
      ) IS NOT NULL AND ${within('meetings.start_time', 'meetings.id')}`;
    // All null, which is as good as any order, but for PostgreSQL a part of the index's.
    return { text, order: ['meetings.organization_id', 'meetings.start_time', 'meetings.id'] };
  }
  const text = `SELECT ties.start_time, ties.meeting_id FROM service_meeting_organizations AS ties
    WHERE ties.organization_id = ? AND ${within('ties.start_time', 'ties.meeting_id')} AND (
      SELECT meetings.id FROM meetings WHERE meetings.organization_id IS NULL
        AND meetings.start_time = ties.start_time AND meetings.id = ties.meeting_id${filter}
    ) IS NOT NULL`;
  return { text, order: ['ties.start_time', 'ties.meeting_id'] };
}

/** The columns of what is selected, in order. */
function selectedRows({ engine, selection, columns }: Request): Text {
  const { organizationId, withServiceMeetings, starts } = selection;
  const names = columns.map(({ key }) => key);
  const filter = filterOf(selection);
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

function countOf(request: Request): Text {
  const { selection } = request;
  const own = countedOf(selection, 'complete_meeting_counts');
  const all = own ?? counting(request, '= ?', [selection.organizationId]);
  if (!selection.withServiceMeetings) return all;
  const tied =
    countedOf(selection, 'tied_meeting_counts') ??
    counting(
      request,
      'IS NULL AND meetings.id IN (SELECT meeting_id FROM service_meeting_organizations WHERE organization_id = ?)',
      [selection.organizationId],
    );
  return { text: `(${all.text}) + (${tied.text})`, values: [...all.values, ...tied.values] };
}

/** What the database has counted already, of the own meetings or the service's; null: nothing that fits. */
function countedOf(
  { organizationId, state, eapOnly, starts }: MeetingSelection,
  counts: 'complete_meeting_counts' | 'tied_meeting_counts',
): Text | null {
  if (state !== 'past' || starts.from !== null || starts.before !== null) return null;
  const column = eapOnly ? 'eap_meetings' : 'meetings';
  return {
    text: `coalesce((SELECT ${column} FROM ${counts} WHERE organization_id = ?), 0)`,
    values: [organizationId],
  };
}

function counting({ engine, selection }: Request, organization: string, values: readonly SqlValue[]): Text {
  const filter = filterOf(selection);
  const { starts } = selection;
  return {
    text: `SELECT count(*) FROM meetings WHERE meetings.organization_id ${organization}
      AND meetings.start_time >= ? AND meetings.start_time < ?${filter.text}`,
    values: [...values, lowerBound(engine, starts), upperBound(engine, starts), ...filter.values],
  };
}

/** As the index of the open ones has it. */
const isOpen = `meetings.status NOT IN ('complete', 'cancel')`;

function filterOf({ state, eapOnly, now }: MeetingSelection): Text {
  const eap = eapOnly ? ' AND meetings.eap' : '';
  if (state === 'past') return { text: ` AND meetings.status = 'complete'${eap}`, values: [] };
  if (state === 'any') return { text: eap, values: [] };
  return {
    text: ` AND ${isOpen} AND meetings.end_time > ?${eap}`,
    values: [now],
  };
}

function lowerBound(engine: Engine, { from }: TimeRange): string {
  return from === null ? edges[engine].before : asStored(engine, from);
}

function upperBound(engine: Engine, { before }: TimeRange): string {
  return before === null ? edges[engine].after : asStored(engine, before);
}

/** Years that have not four digits do not sort as text or are none to PostgreSQL, and no meeting starts in them. */
function asStored(engine: Engine, moment: Date): string {
  const year = moment.getUTCFullYear();
  if (year > 9999) return edges[engine].after;
  return year < 1 ? edges[engine].before : moment.toISOString();
}
