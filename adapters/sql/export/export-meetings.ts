import { setImmediate } from 'node:timers/promises';
import type { Meetings } from '@rollcall/core';
import pLimit, { type LimitFunction } from 'p-limit';
import { type Copy, type Database, only } from '../engine/database.js';
import { copiedRowEncoder } from '../fast-paths/copied-rows.js';
import { type EncodedRows, firstBytesOf, rowsOf, rowText } from './encoded-rows.js';
import type { ExportRequest, RowKey, SqlText } from './export-request.js';
import { readPage } from './read-page.js';
import { selectedKeys, selectedRows } from './selection.js';

/** Reading a chunk of either kind takes about the same time. */
const CHUNK_ROWS = { narrow: 500, wide: 250 };
/** A narrow row has at most this many columns, and no description. */
const MAX_NARROW_COLUMNS = 6;

function chunkRows({ columns }: ExportRequest): number {
  const isWide =
    columns.length > MAX_NARROW_COLUMNS || columns.some(({ key }) => key === 'meeting_description');
  return isWide ? CHUNK_ROWS.wide : CHUNK_ROWS.narrow;
}

/** The database returns many rows as one text. Encoding them in this process would take four times as long. */
export function exportMeetings(database: Database): Meetings['export'] {
  // Reading a chunk blocks for some milliseconds. Other requests run between any two chunks, even of different exports.
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
  request: ExportRequest,
  betweenChunks: LimitFunction,
): AsyncGenerator<Uint8Array> {
  const { organizationId, eapOnly, state, updatedSince } = request.selection;
  // The rows of these selections may lie far apart in the index. Those of all others are together.
  const isHeavy = eapOnly || state === 'upcoming' || updatedSince !== null;
  const snapshot = await database.snapshot({ organizationId, isHeavy });
  try {
    if (snapshot.copy !== undefined) return yield* copiedRows(snapshot.copy, request);
    const size = chunkRows(request);
    let after: RowKey | null | undefined = null;
    while (after !== undefined) {
      const keys = selectedKeys(request, { after, max: limitOf(size) });
      const last: RowKey | undefined = await snapshot.get(
        `${keys.text} LIMIT 1 OFFSET ${size - 1}`,
        keys.values,
      );
      const rows = nextRows(request, after, size);
      const { encoded } = only(await snapshot.all<EncodedRows>(rows.text, rows.values));
      if (encoded === null) return;
      if (last === undefined) await snapshot.release();
      yield after === null ? firstBytesOf(request, encoded) : encoded;
      await betweenChunks(() => setImmediate());
      after = last;
    }
  } finally {
    await snapshot.release();
  }
}

const limitOf = (rows: number): SqlText => ({ text: String(rows), values: [] });

/** Without service meetings, SQLite reads each row where the index finds it, and does not look it up again by its id. */
function nextRows(request: ExportRequest, after: RowKey | null, size: number): SqlText {
  const selected = `${rowText(request)} AS encoded`;
  const isDirect = request.engine === 'sqlite' && !request.selection.withServiceMeetings;
  const rows = selectedKeys(request, { after, max: limitOf(size), ...(isDirect && { selected }) });
  const chunk = { text: `${rows.text} LIMIT ${size}`, values: rows.values };
  if (!isDirect) return rowsOf(request, chunk);
  return {
    text: `SELECT CAST(group_concat(encoded, '') AS BLOB) AS encoded FROM (${chunk.text})`,
    values: chunk.values,
  };
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
