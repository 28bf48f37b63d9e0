import type { ExportedRows } from '@rollcall/core';
import { type Database, only } from '../engine/database.js';
import { type EncodedRows, firstBytesOf, rowsOf } from './encoded-rows.js';
import type { ExportRequest, SqlText } from './export-request.js';
import { countOf, selectedKeys, storedCountOf } from './selection.js';

/** `limit` is at least 1. */
interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** From this page on it is faster to count first and to read from the nearer end. */
const DEEP_PAGE = 10;

/** Rows before a page that are skipped in a few milliseconds. Those of two tables must also be merged. */
const MAX_FAST_OFFSET_ROWS = { own: 100_000, withServiceMeetings: 5_000 };

/** Whether the page may take long. Without a stored count all rows are counted, and EAP meetings may lie far apart. */
function isHeavyPage({ selection }: ExportRequest, { offset }: Page): boolean {
  const { eapOnly, withServiceMeetings } = selection;
  const hasStoredCount = storedCountOf(selection, 'complete_meeting_counts') !== null;
  return (
    !hasStoredCount ||
    eapOnly ||
    offset > (withServiceMeetings ? MAX_FAST_OFFSET_ROWS.withServiceMeetings : MAX_FAST_OFFSET_ROWS.own)
  );
}

/** Reads the rows and their total in one statement, and therefore from one state of the database. */
export async function readPage(
  database: Database,
  request: ExportRequest,
  page: Page,
): Promise<ExportedRows> {
  const isDeep = page.offset >= DEEP_PAGE * page.limit;
  const { text, values } = isDeep ? deepPage(request, page) : earlyPage(request, page);
  const { organizationId } = request.selection;
  const read = isHeavyPage(request, page) ? database.readAside(organizationId) : database.read;
  const { encoded, count } = only(await read.all<EncodedRows & { count: number }>(text, values));
  return { total: count, chunks: oneChunk(request, encoded) };
}

function earlyPage(request: ExportRequest, { offset, limit }: Page): SqlText {
  const max = { text: '?', values: [offset + limit] };
  const keys = selectedKeys(request, { after: null, max });
  const rows = rowsOf(request, {
    text: `${keys.text} LIMIT ? OFFSET ?`,
    values: [...keys.values, limit, offset],
  });
  const total = countOf(request);
  return {
    text: `SELECT (${rows.text}) AS encoded, (${total.text}) AS count`,
    values: [...rows.values, ...total.values],
  };
}

/** Counts first, and then skips the rows between the page and the nearer end, using the index alone. */
function deepPage(request: ExportRequest, { offset, limit }: Page): SqlText {
  const total = countOf(request);
  const max = (rows: string): SqlText => ({ text: `(SELECT ${rows} FROM ways)`, values: [] });
  const forward = selectedKeys(request, { after: null, max: max('skipped + wanted') });
  const back = selectedKeys(request, {
    after: null,
    max: max('skipped_back + wanted_back'),
    isBackwards: true,
  });
  const rows = rowsOf(request, {
    text: `SELECT start_time, id FROM (
        ${forward.text} LIMIT (SELECT wanted FROM ways) OFFSET (SELECT skipped FROM ways)
      ) AS first_ones
      UNION ALL
      SELECT start_time, id FROM (
        ${back.text} LIMIT (SELECT wanted_back FROM ways) OFFSET (SELECT skipped_back FROM ways)
      ) AS last_ones${request.engine === 'sqlite' ? ' ORDER BY 1, 2 LIMIT (SELECT size FROM page)' : ''}`,
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

async function* oneChunk(
  request: ExportRequest,
  encoded: Uint8Array | string | null,
): AsyncGenerator<Uint8Array> {
  if (encoded !== null) yield firstBytesOf(request, encoded);
}
