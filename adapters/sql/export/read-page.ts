import type { ExportedRows } from '@rollcall/core';
import type { Database } from '../engine/database.js';
import { raw, SQL, type SqlText } from '../engine/sql-text.js';
import type { ExportRequest } from './export-request.js';
import type { PageSizes } from './page-sizes.js';
import { bytesOf, firstBytesOf, rowsOf, rowText } from './row-text.js';
import { countOf, distantKeys, selectedKeys, storedCountOf } from './selection.js';

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

/** Encoded rows with the total: SQLite returns all of them as one row of the result, PostgreSQL each one. */
type PageRow = readonly [encoded: Uint8Array | string | null, total: number];

/** Reads the rows and their total in one statement, and therefore from one state of the database. */
export async function readPage(
  database: Database,
  request: ExportRequest,
  { sizes, ...page }: Page & { readonly sizes: PageSizes },
): Promise<ExportedRows> {
  const isDeep = page.offset >= DEEP_PAGE * page.limit;
  const text = isDeep ? deepPage(request, page) : earlyPage(request, page);
  const { organizationId } = request.selection;
  const hasLongTexts = request.columns.some(({ key }) => key === 'meeting_description');
  const mayBeLong = hasLongTexts && !sizes.isSmall(organizationId);
  const isAside = mayBeLong || isHeavyPage(request, page);
  const read = isAside ? database.readAside(organizationId) : database.read;
  const rows = await read.rows<PageRow>(...text.args);
  const [first] = rows;
  if (first === undefined) throw new Error('the statement of a page returns a row even if the page is empty');
  const encoded = rows.map(([row]) => row).filter((row) => row !== null);
  const bytes = encoded.reduce((sum, { length }) => sum + length, 0);
  if (hasLongTexts) sizes.add(organizationId, bytes);
  return { total: first[1], chunks: oneChunk(request, encoded) };
}

function earlyPage(request: ExportRequest, { offset, limit }: Page): SqlText {
  const keys = selectedKeys(request, { after: null, max: SQL`${offset + limit}` });
  const onPage = SQL`${keys} LIMIT ${limit} OFFSET ${offset}`;
  return rowsWithTotal(request, onPage, countOf(request));
}

/**
 * Selects each `PageRow`; there is one even without keys. On PostgreSQL, one text of a page with long descriptions would
 * take a quarter longer: the server allocates it again each time it grows, and for each page.
 */
function rowsWithTotal(request: ExportRequest, keys: SqlText, total: SqlText): SqlText {
  if (request.engine === 'sqlite') return SQL`SELECT (${rowsOf(request, keys)}), (${total})`;
  const row = raw(rowText(request));
  return SQL`SELECT (SELECT ${row} FROM meetings WHERE meetings.id = chosen.id), counted.total
      FROM (SELECT (${total}) AS total) AS counted LEFT JOIN (${keys}) AS chosen ON true
      ORDER BY chosen.start_time, chosen.id`;
}

/** Counts first, and then skips the rows between the page and the nearer end, using the index alone. */
function deepPage(request: ExportRequest, { offset, limit }: Page): SqlText {
  const ofWays = (column: string): SqlText => raw(`(SELECT ${column} FROM ways)`);
  const part = (ending: string, isBackwards: boolean): SqlText =>
    distantKeys(
      request,
      { skipped: ofWays(`skipped${ending}`), wanted: ofWays(`wanted${ending}`) },
      isBackwards,
    );
  const order = raw(request.engine === 'sqlite' ? ' ORDER BY 1, 2 LIMIT (SELECT size FROM page)' : '');
  const keys = SQL`${part('', false)} UNION ALL ${part('_back', true)}${order}`;
  return SQL`WITH page AS MATERIALIZED (
        SELECT (${countOf(request)}) AS total, CAST(${limit} AS BIGINT) AS size,
          CAST(${offset} AS BIGINT) AS skipped
      ), ways AS MATERIALIZED (
        SELECT total, skipped, CASE WHEN 2 * skipped <= total THEN size ELSE 0 END AS wanted,
          CASE WHEN total - skipped > size THEN total - skipped - size ELSE 0 END AS skipped_back,
          CASE WHEN 2 * skipped <= total OR skipped >= total THEN 0
            WHEN total - skipped < size THEN total - skipped ELSE size END AS wanted_back
        FROM page
      )
      ${rowsWithTotal(request, keys, raw('SELECT total FROM ways'))}`;
}

async function* oneChunk(
  request: ExportRequest,
  [first, ...others]: readonly (Uint8Array | string)[],
): AsyncGenerator<Uint8Array> {
  if (first === undefined) return;
  const bytes = firstBytesOf(request, first);
  yield others.length === 0 ? bytes : Buffer.concat([bytes, ...others.map(bytesOf)]);
}
