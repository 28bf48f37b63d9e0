import type {
  ExportColumn,
  ExportColumnKey,
  ExportedRows,
  ExportForm,
  MeetingSelection,
  Meetings,
} from '@rollcall/core';
import { csvText } from '@rollcall/core/adapters';
import SqliteDatabase from 'better-sqlite3';
import type { Database, Value } from './database.js';
import type { SittingFacts, SittingRow } from './sitting-row.js';

interface Encoding {
  readonly columns: readonly ExportColumn[];
  readonly form: ExportForm;
}

interface Request extends Encoding {
  readonly selection: MeetingSelection;
}

export function exportSittings(database: Database): Meetings['export'] {
  return async ({ page, ...request }) => {
    if (page === null) return { total: null, chunks: everyRow(database.file, request) };
    return onePage(database, request, page);
  };
}

type Facts = SittingRow & SittingFacts;
type Cell = Value | boolean;

const cells: Readonly<Record<ExportColumnKey, (sitting: Facts) => Cell>> = {
  name: ({ name }) => name,
  meeting_type: ({ kind }) => kind,
  start_time: ({ begins }) => new Date(begins).toISOString(),
  duration: ({ minutes }) => minutes,
  status: ({ state }) => state,
  topic: ({ topic }) => topic,
  special_focus: ({ focus }) => focus,
  host: ({ host }) => host,
  location: ({ location }) => location,
  price: ({ price }) => price ?? 0,
  max_attendees: ({ places }) => places,
  meeting_description: ({ description }) => description,
  group_leader_id: ({ leader }) => leader,
  privacy: ({ isPrivate }) => isPrivate,
  eap: ({ wellness }) => wellness === 1,
  allow_meeting_donation: ({ takesDonations }) => takesDonations,
  invitation_only: ({ byInvitation }) => byInvitation,
  wait_list: ({ queueing }) => queueing === 1,
  id: ({ id }) => id,
  updated_at: ({ changed }) => new Date(changed).toISOString(),
};

/** The rows as texts, ready to be concatenated. */
function* encoded(rows: Iterable<SittingRow>, { columns, form }: Encoding): Generator<string> {
  let before = '';
  for (const row of rows) {
    const sitting: Facts = { ...row, ...(JSON.parse(row.facts) as SittingFacts) };
    yield before + encoders[form](columns.map((column) => [column, cells[column.key](sitting)]));
    if (form === 'json') before = ',';
  }
}

/** The sitting as the JSON object of an export. */
export function sittingRow(row: SittingRow, columns: readonly ExportColumn[]): string {
  return [...encoded([row], { columns, form: 'json' })].join('');
}

type Row = readonly (readonly [ExportColumn, Cell])[];

const encoders: Readonly<Record<ExportForm, (row: Row) => string>> = {
  json: toJson,
  ndjson: (row) => `${toJson(row)}\n`,
  csv: (row) => `${row.map(([{ type }, cell]) => toCsv(cell, type)).join(',')}\r\n`,
};

function toJson(row: Row): string {
  return JSON.stringify(Object.fromEntries(row.map(([{ as }, cell]) => [as, cell])));
}

function toCsv(cell: Cell, type: ExportColumn['type']): string {
  if (cell === null) return '';
  const isText = type === 'string' || type === 'text or null';
  return isText ? csvText(String(cell)) : String(cell);
}

/** The selection as SQL. The suites check that it agrees with `isSelected` of the core. */
export function selected(selection: MeetingSelection): {
  readonly text: string;
  readonly values: readonly Value[];
} {
  const { organizationId, withServiceMeetings, eapOnly, state, starts, updatedSince, now } = selection;
  const states = {
    past: `sittings.state = 'complete'`,
    upcoming: `sittings.state NOT IN ('complete', 'cancel') AND sittings.ends > ${now.getTime()}`,
    any: 'true',
  };
  const guest = `EXISTS (SELECT 1 FROM guests WHERE guests.sitting = sittings.id AND guests.company = ?)`;
  return {
    text: `FROM sittings
      WHERE (sittings.company = ? OR (? AND sittings.company IS NULL AND ${guest}))
        AND (NOT ? OR sittings.wellness) AND ${states[state]} AND sittings.begins >= ? AND sittings.begins < ?
        AND sittings.changed >= ?`,
    values: [
      organizationId,
      Number(withServiceMeetings),
      organizationId,
      Number(eapOnly),
      starts.from?.getTime() ?? -Number.MAX_SAFE_INTEGER,
      starts.before?.getTime() ?? Number.MAX_SAFE_INTEGER,
      updatedSince?.getTime() ?? -Number.MAX_SAFE_INTEGER,
    ],
  };
}

const ORDER = 'ORDER BY sittings.begins, sittings.id';

function onePage(
  database: Database,
  request: Request,
  page: { readonly offset: number; readonly limit: number },
): ExportedRows {
  const { text, values } = selected(request.selection);
  return database.snapshot(() => {
    const total = database.count(text, ...values);
    const rows = database.all<SittingRow>(
      `SELECT sittings.* ${text} ${ORDER} LIMIT ? OFFSET ?`,
      ...[...values, page.limit, page.offset],
    );
    return { total, chunks: oneChunk([...encoded(rows, request)].join('')) };
  });
}

async function* oneChunk(text: string): AsyncGenerator<Uint8Array> {
  if (text !== '') yield Buffer.from(text);
}

const ROWS_PER_CHUNK = 200;

/**
 * Reads all selected rows in one read transaction on a separate connection. Concurrent writes continue but are not
 * visible, and memory holds one chunk at a time. The connection is closed when the last chunk has been read or the
 * reader stops.
 */
async function* everyRow(file: string, request: Request): AsyncGenerator<Uint8Array> {
  const snapshot = new SqliteDatabase(file, { readonly: true });
  try {
    const { text, values } = selected(request.selection);
    const rows = snapshot.prepare<Value[], SittingRow>(`SELECT sittings.* ${text} ${ORDER}`);
    let chunk: string[] = [];
    for (const row of encoded(rows.iterate(...values), request)) {
      chunk.push(row);
      if (chunk.length < ROWS_PER_CHUNK) continue;
      yield Buffer.from(chunk.join(''));
      chunk = [];
    }
    if (chunk.length > 0) yield Buffer.from(chunk.join(''));
  } finally {
    snapshot.close();
  }
}
