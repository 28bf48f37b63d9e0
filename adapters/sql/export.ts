import { setImmediate } from 'node:timers/promises';
import type { ExportColumn, ExportedRows, MeetingSelection, Meetings, TimeRange } from '@rollcall/core';
import { type Database, type Engine, only, type SqlValue } from './database.js';

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
}

/** The rows leave the database as JSON text, many at once: building them here would take four times as long. */
export function exportMeetings(database: Database): Meetings['export'] {
  const turn = turns();
  const { engine } = database;
  return async ({ selection, columns, page }) => {
    const request = { engine, selection, columns };
    if (page === null) return { total: null, chunks: allChunks(database, request, turn) };
    return readPage(database, request, page);
  };
}

/**
 * Between two chunks everybody else is served, also when the reader takes them at once, and also between the
 * chunks of two exports: reading one blocks for some milliseconds.
 */
function turns(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => setImmediate());
    return last;
  };
}

async function* allChunks(
  database: Database,
  request: Request,
  turn: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  const snapshot = await database.snapshot();
  try {
    let after: Key | null | undefined = null;
    while (after !== undefined) {
      const keys = selectedKeys(request, { after, most: { text: String(ROWS_A_CHUNK), values: [] } });
      const last: Key | undefined = await snapshot.get(
        `${keys.text} LIMIT 1 OFFSET ${ROWS_A_CHUNK - 1}`,
        keys.values,
      );
      const rows = rowsOf(request, {
        text: `${keys.text} LIMIT ${ROWS_A_CHUNK}`,
        values: keys.values,
      });
      const { json } = only(await snapshot.all<{ json: Uint8Array | string | null }>(rows.text, rows.values));
      if (json === null) return;
      if (last === undefined) await snapshot.release();
      yield after === null ? withoutComma(bytesOf(json)) : bytesOf(json);
      await turn();
      after = last;
    }
  } finally {
    await snapshot.release();
  }
}

/**
 * Rows and total by one statement, and so from one snapshot. The casts are for SQLite: it looks at the value of
 * a bare `LIMIT ?` when it plans, and so prepares the statement anew for every page.
 */
async function readPage(
  { read }: Database,
  request: Request,
  page: { readonly offset: number; readonly limit: number },
): Promise<ExportedRows> {
  const most = { text: 'CAST(? AS BIGINT)', values: [page.offset + page.limit] };
  const keys = selectedKeys(request, { after: null, most });
  const rows = rowsOf(request, {
    text: `${keys.text} LIMIT CAST(? AS BIGINT) OFFSET CAST(? AS BIGINT)`,
    values: [...keys.values, page.limit, page.offset],
  });
  const total = countOf(request);
  const { json, count } = only(
    await read.all<{ json: Uint8Array | string | null; count: number }>(
      `SELECT (${rows.text}) AS json, (${total.text}) AS count`,
      [...rows.values, ...total.values],
    ),
  );
  return { total: count, chunks: oneChunk(json) };
}

async function* oneChunk(json: Uint8Array | string | null): AsyncGenerator<Uint8Array> {
  if (json !== null) yield withoutComma(bytesOf(json));
}

/** SQLite gives the bytes, PostgreSQL a text. */
function bytesOf(json: Uint8Array | string): Uint8Array {
  return typeof json === 'string' ? Buffer.from(json) : json;
}

/** Every row is written with a comma before it. */
function withoutComma(json: Uint8Array): Uint8Array {
  return json.subarray(1);
}

/** The rows of the keys as one text, in their order. */
function rowsOf({ engine, columns }: Request, keys: Text): Text {
  if (engine === 'postgres') return rowsOnPostgres(columns, keys);
  return {
    text: `SELECT CAST(group_concat(object, '') AS BLOB) AS json FROM (
      SELECT ${rowText(columns, sqliteValue)} AS object
      FROM (${keys.text}) AS chosen CROSS JOIN meetings ON meetings.id = chosen.id
      ORDER BY chosen.start_time, chosen.id
    )`,
    values: keys.values,
  };
}

function rowsOnPostgres(columns: readonly ExportColumn[], keys: Text): Text {
  return {
    text: `SELECT string_agg(${rowText(columns, postgresValue)}, '' ORDER BY chosen.start_time, chosen.id) AS json
      FROM (${keys.text}) AS chosen JOIN meetings ON meetings.id = chosen.id`,
    values: keys.values,
  };
}

function rowText(columns: readonly ExportColumn[], valueText: (column: ExportColumn) => string): string {
  const members = columns.map(
    (column, index) => `'${index === 0 ? '' : ','}"${column.as}":', ${valueText(column)}`,
  );
  return `concat(',{', ${[...members, `'}'`].join(', ')})`;
}

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
}

/**
 * Start times and ids of what is selected after the key, in order. An index has both the own meetings and the
 * ties of the service meetings in this order, so that neither is sorted, however many there are. PostgreSQL has
 * to be told how many of each are enough: else it sorts all of both, again for each chunk.
 */
function selectedKeys({ engine, selection }: Request, { after, most }: Part): Text {
  const { organizationId, withServiceMeetings, starts } = selection;
  const filter = filterOf(selection);
  const lower = after === null ? [lowerBound(engine, starts)] : [after.start_time, after.id];
  const values = [organizationId, ...lower, upperBound(engine, starts), ...filter.values];
  const later = (startTime: string, id: string) =>
    after === null ? `${startTime} >= ?` : `(${startTime}, ${id}) > (?, ?)`;
  const own = `SELECT meetings.start_time, meetings.id FROM meetings
    WHERE meetings.organization_id = ? AND ${later('meetings.start_time', 'meetings.id')}
      AND meetings.start_time < ?${filter.text}`;
  const tied = `SELECT ties.start_time, ties.meeting_id
    FROM service_meeting_organizations AS ties CROSS JOIN meetings ON meetings.id = ties.meeting_id
    WHERE ties.organization_id = ? AND ${later('ties.start_time', 'ties.meeting_id')}
      AND ties.start_time < ? AND meetings.organization_id IS NULL${filter.text}`;
  const ordered = `${own} ORDER BY meetings.start_time, meetings.id`;
  if (!withServiceMeetings) return { text: ordered, values };
  if (engine === 'postgres') {
    const limit = `LIMIT ${most.text}`;
    const tiedInOrder = `${tied} ORDER BY ties.start_time, ties.meeting_id`;
    return {
      text: `(${ordered} ${limit}) UNION ALL (${tiedInOrder} ${limit}) ORDER BY 1, 2`,
      values: [...values, ...most.values, ...values, ...most.values],
    };
  }
  return { text: `${own} UNION ALL ${tied} ORDER BY 1, 2`, values: [...values, ...values] };
}

function countOf(request: Request): Text {
  const { selection } = request;
  const own = countedOf(selection) ?? counting(request, '= ?', [selection.organizationId]);
  if (!selection.withServiceMeetings) return own;
  const tied = counting(
    request,
    'IS NULL AND meetings.id IN (SELECT meeting_id FROM service_meeting_organizations WHERE organization_id = ?)',
    [selection.organizationId],
  );
  return { text: `(${own.text}) + (${tied.text})`, values: [...own.values, ...tied.values] };
}

/** What the database has counted already. */
function countedOf({ organizationId, state, eapOnly, starts }: MeetingSelection): Text | null {
  if (state !== 'past' || starts.from !== null || starts.before !== null) return null;
  const column = eapOnly ? 'eap_meetings' : 'meetings';
  return {
    text: `coalesce((SELECT ${column} FROM complete_meeting_counts WHERE organization_id = ?), 0)`,
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

function filterOf({ state, eapOnly, now }: MeetingSelection): Text {
  const eap = eapOnly ? ' AND meetings.eap' : '';
  if (state === 'past') return { text: ` AND meetings.status = 'complete'${eap}`, values: [] };
  if (state === 'any') return { text: eap, values: [] };
  return {
    text: ` AND meetings.status NOT IN ('complete', 'cancel') AND meetings.end_time > ?${eap}`,
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
