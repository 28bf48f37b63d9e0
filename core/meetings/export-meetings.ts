import type { Organization } from '../access/ports/organizations.js';
import type { Uses } from '../deps.js';
import { checkId } from '../values/ids.js';
import { checkOneOf, type Unchecked } from '../values/one-of.js';
import { clampPage, pageOffset, totalPages } from '../values/page.js';
import {
  chooseColumns,
  csvHeader,
  type ExportColumn,
  type ExportColumnKey,
  type ExportFormat,
  exportForms,
} from './export-columns.js';
import { type SelectionParameters, selectMeetings } from './select-meetings.js';
import { wholeLines } from './whole-lines.js';

/** The parameters of an export as the client sent them. Undefined and empty values count as left out. */
export interface ExportParameters extends SelectionParameters {
  /** The keys of the columns in the requested order. Duplicates count once; without any, the export is empty. */
  readonly columns: readonly Unchecked<ExportColumnKey>[];
  /** From 1, which is the default. With `page` or `perPage`, the export holds one page and has `metadata`. */
  readonly page?: unknown;
  /** The number of rows on a page, from 1 to 100, which is the default. */
  readonly perPage?: unknown;
}

/** The request of `exportMeetings`. */
export interface ExportMeetings extends ExportParameters {
  /** The organization that `authorize` or `authorizeMember` returned, with its `eap` and `timeZone`. */
  readonly organization: Organization;
  /** `json` by default. */
  readonly form?: ExportFormat | undefined;
}

/** An export that has started. */
export interface ExportedMeetings {
  /** Null if no page was requested. */
  readonly metadata: {
    readonly page: number;
    readonly perPage: number;
    readonly totalPages: number;
    readonly totalCount: number;
  } | null;
  /**
   * The rows as UTF-8; a chunk may hold part of a row or many rows. `json`: the rows as objects with commas between
   * them, without the brackets of an array. `ndjson`: the same objects with a line feed after each, and no other
   * character that ends a line: U+0085, U+2028 and U+2029 are escaped. `csv`: a whole file
   * with a byte order mark and a header, and CRLF after each line. An export without columns has no chunks. Read the
   * chunks to the end or stop reading: until then the export holds a snapshot of the database.
   */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/**
 * Exports the organization's meetings with the chosen columns: all of them or, if `page` or `perPage` is given, one
 * page. Without a preset (`reportingDays`), as with `all` and `all_past`, an export holds completed meetings only;
 * `all_upcoming` holds those that have not ended and are open, `everything` holds all meetings, and every other preset
 * holds meetings of any status, also canceled ones, that start in its range. Rows are ordered by start time and then
 * id.
 *
 * @throws `Refusal`: `invalid-request` with every parameter that is wrong. Reading the first chunk may throw
 * `too-many-requests` while the organization has several exports running. `TypeError` if `organization.id` is not an id
 * or `form` is unknown.
 */
export async function exportMeetings(
  { meetings, clock, settings }: Uses<'clock.now' | 'meetings.export' | 'settings.reportingTimeZone'>,
  { organization, form = 'json', ...parameters }: ExportMeetings,
): Promise<ExportedMeetings> {
  checkId('organization.id', organization.id);
  checkOneOf('form', exportForms, form);
  const columns = chooseColumns(parameters.columns);
  // An export without columns is empty, whatever the other parameters are.
  if (columns.length === 0) return { metadata: null, chunks: nothing() };
  const zone = { now: clock.now(), reportingTimeZone: settings.reportingTimeZone };
  const selection = selectMeetings(organization, parameters, zone);

  const page = isPaginated(parameters)
    ? clampPage({ page: parameters.page, size: parameters.perPage, defaultSize: 100 })
    : null;
  const rows = await meetings.export({
    selection,
    columns,
    form,
    page: page === null ? null : { offset: pageOffset(page), limit: page.size },
  });
  const { total } = rows;
  const chunks = inForm[form](rows.chunks, columns);

  if (page === null || total === null) return { metadata: null, chunks };
  const metadata = {
    page: page.page,
    perPage: page.size,
    totalPages: totalPages(total, page.size),
    totalCount: total,
  };
  return { metadata, chunks };
}

const inForm: Record<
  ExportFormat,
  (chunks: AsyncIterable<Uint8Array>, columns: readonly ExportColumn[]) => AsyncIterable<Uint8Array>
> = {
  json: (chunks) => chunks,
  ndjson: wholeLines,
  csv: (chunks, columns) => after(csvHeader(columns), chunks),
};

function isPaginated({ page, perPage }: ExportParameters): boolean {
  return page !== undefined || perPage !== undefined;
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Yields nothing before the first chunk has arrived, so that an earlier failure can still be refused. */
async function* after(beginning: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const head = new TextEncoder().encode(beginning);
  let hasStarted = false;
  for await (const chunk of chunks) {
    if (!hasStarted) yield head;
    hasStarted = true;
    yield chunk;
  }
  if (!hasStarted) yield head;
}
