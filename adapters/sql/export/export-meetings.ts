import { setImmediate } from 'node:timers/promises';
import type { Meetings } from '@rollcall/core';
import pLimit, { type LimitFunction } from 'p-limit';
import type { Copy, Database } from '../engine/database.js';
import { raw, SQL, type SqlText } from '../engine/sql-text.js';
import { selectOne, selectOnly } from '../engine/statements.js';
import { copiedRowEncoder } from '../fast-paths/copied-rows.js';
import type { ExportRequest, RowKey } from './export-request.js';
import { PageSizes } from './page-sizes.js';
import { readPage } from './read-page.js';
import { firstBytesOf, rowsOf, rowText } from './row-text.js';
import { selectedKeys, selectedRows } from './selection.js';

/** The first chunk shows how long the rows are. There are few sizes, so that few statements are prepared. */
const CHUNK_ROWS = [500, 250, 100, 25, 10, 5, 2, 1] as const;
const FIRST_CHUNK_ROWS = 25;
/** Narrow and wide rows take about the same time for a chunk. */
const MAX_CHUNK_ROWS = { narrow: 500, wide: 250 };
const CHUNK_BYTES = 524_288;
/** A narrow row has at most this many columns, and no description. */
const MAX_NARROW_COLUMNS = 6;

function maxChunkRows({ columns }: ExportRequest): number {
  const isWide =
    columns.length > MAX_NARROW_COLUMNS || columns.some(({ key }) => key === 'meeting_description');
  return isWide ? MAX_CHUNK_ROWS.wide : MAX_CHUNK_ROWS.narrow;
}

/** The database returns many rows as one text. Encoding them in this process would take four times as long. */
export function exportMeetings(database: Database): Meetings['export'] {
  // Reading a chunk blocks for some milliseconds. Other requests run between any two chunks, even of different exports.
  const betweenChunks = pLimit(1);
  const { engine } = database;
  const sizes = new PageSizes();
  return async ({ selection, columns, form, page }) => {
    const request = { engine, selection, columns, form };
    if (page === null) return { total: null, chunks: allChunks(database, request, betweenChunks) };
    return readPage(database, request, { ...page, sizes });
  };
}

async function* allChunks(
  database: Database,
  request: ExportRequest,
  betweenChunks: LimitFunction,
): AsyncGenerator<Uint8Array> {
  const { organizationId, eapOnly, state, updatedSince } = request.selection;
  // The rows of these selections may lie far apart in the index. Those of all others are together.
  const isHeavy = eapOnly || state === 'upcoming' || updatedSince !== null;
  const snapshot = await database.snapshot({ organizationId, isHeavy });
  try {
    if (snapshot.copy !== undefined) return yield* copiedRows(snapshot.copy, request);
    const maxRows = maxChunkRows(request);
    let size: number = FIRST_CHUNK_ROWS;
    let after: RowKey | null | undefined = null;
    while (after !== undefined) {
      const keys = selectedKeys(request, { after, max: raw(size) });
      const last: RowKey | undefined = await selectOne<RowKey>(snapshot)`
        ${keys} LIMIT 1 OFFSET ${raw(size - 1)}`;
      const { encoded } = await selectOnly<{ encoded: Uint8Array | null }>(snapshot)(
        nextRows(request, after, size),
      );
      if (encoded === null) return;
      if (last === undefined) await snapshot.release();
      yield after === null ? firstBytesOf(request, encoded) : encoded;
      await betweenChunks(() => setImmediate());
      after = last;
      const wanted = Math.min(maxRows, (size * CHUNK_BYTES) / encoded.length);
      size = CHUNK_ROWS.find((rows) => rows <= wanted) ?? 1;
    }
  } finally {
    await snapshot.release();
  }
}

/** Without service meetings, SQLite reads each row where the index finds it, and does not look it up again by its id. */
function nextRows(request: ExportRequest, after: RowKey | null, size: number): SqlText {
  const selected = `${rowText(request)} AS encoded`;
  const isDirect = request.engine === 'sqlite' && !request.selection.withServiceMeetings;
  const max = raw(size);
  const chunk = SQL`${selectedKeys(request, { after, max, ...(isDirect && { selected }) })} LIMIT ${max}`;
  if (!isDirect) return rowsOf(request, chunk);
  return SQL`SELECT CAST(group_concat(encoded, '') AS BLOB) AS encoded FROM (${chunk})`;
}

/** On PostgreSQL, one COPY returns all rows, and this process encodes them. */
async function* copiedRows(copy: Copy, request: ExportRequest): AsyncGenerator<Uint8Array> {
  const { text, values } = selectedRows(request);
  const { columns, form } = request;
  let isFirst = true;
  for await (const rows of copy(text, values, copiedRowEncoder(columns, form))) {
    yield isFirst && form === 'json' ? rows.subarray(1) : rows;
    isFirst = false;
  }
}
