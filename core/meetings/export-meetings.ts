import type { Organization } from '../access/ports/organizations.js';
import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import { checkId } from '../values/ids.js';
import { checkOneOf, type Unchecked } from '../values/one-of.js';
import { clampPage, pageOffset, totalPages } from '../values/page.js';
import type { Field } from '../values/problem.js';
import { Problems } from '../values/problems.js';
import { checkTimeZone } from '../values/time-zone.js';
import { clampTimestamp, parseInstant } from '../values/timestamp.js';
import {
  chooseColumns,
  csvHeader,
  type ExportColumnKey,
  type ExportForm,
  exportForms,
} from './export-columns.js';
import type { MeetingSelection, TimeRange } from './meeting.js';
import { intersection, type Preset, parseLocalTime, presetRange, presets } from './reporting-range.js';

/** The names of the report types. The first is the default. */
export const reportTypes = ['all_meetings', 'eap_meetings'] as const;
/** `all_meetings`: every meeting of the selection. `eap_meetings`: only those of the Employee Assistance Program. */
export type ReportType = (typeof reportTypes)[number];

/** The parameters of an export as the client sent them. Undefined and empty values count as left out. */
export interface ExportParameters {
  /** The keys of the columns in the requested order. Duplicates count once; without any, the export is empty. */
  readonly columns: readonly Unchecked<ExportColumnKey>[];
  /** The preset. Left out: `all`, which holds completed meetings only. */
  readonly reportingDays?: Unchecked<Preset> | undefined;
  /**
   * The first minute of the range in which meetings start, as `MM/DD/YYYY HH:MM AM/PM` in the time zone. Has an effect
   * only together with `endTime`, and further limits a preset.
   */
  readonly startTime?: string | undefined;
  /** The last minute of that range, in the same format. Meetings that start within this minute count. */
  readonly endTime?: string | undefined;
  /**
   * Only meetings that were updated at this time or later, as ISO 8601 with an offset, such as
   * `2026-11-20T18:30:00.000Z`.
   */
  readonly updatedSince?: string | undefined;
  /** Left out: `all_meetings`. */
  readonly reportType?: Unchecked<ReportType> | undefined;
  /**
   * The IANA zone of the preset and the times. Left out: the organization's, or else the setting `reportingTimeZone`.
   */
  readonly timeZone?: string | undefined;
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
  readonly form?: ExportForm | undefined;
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
   * them, without the brackets of an array. `ndjson`: the same objects with a line feed after each. `csv`: a whole file
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
  const chunks = form === 'csv' ? after(csvHeader(columns), rows.chunks) : rows.chunks;

  if (page === null || total === null) return { metadata: null, chunks };
  const metadata = {
    page: page.page,
    perPage: page.size,
    totalPages: totalPages(total, page.size),
    totalCount: total,
  };
  return { metadata, chunks };
}

/**
 * Returns the selection that the parameters describe: the preset, limited by the explicit range if there is one.
 * Without a preset, and with `all` and `all_past`, only completed meetings are selected. `now` decides which meetings
 * are upcoming; `reportingTimeZone` counts if neither the parameters nor the organization name a zone.
 *
 * @throws `Refusal`: `invalid-request` with every parameter that is wrong.
 */
export function selectMeetings(
  organization: Organization,
  parameters: Omit<ExportParameters, 'columns'>,
  { now, reportingTimeZone }: { readonly now: Date; readonly reportingTimeZone: string },
): MeetingSelection {
  const problems = new Problems();
  const { reportingDays, reportType } = parameters;
  const preset = problems.in(() => oneOf(presets, { field: 'reportingDays', value: reportingDays }), 'all');
  const report = problems.in(
    () => oneOf(reportTypes, { field: 'reportType', value: reportType }),
    'all_meetings',
  );
  const ownZone = organization.timeZone ?? reportingTimeZone;
  const timeZone = problems.in(() => checkTimeZone(parameters.timeZone || ownZone), ownZone);
  const explicit = explicitRange(parameters, { required: preset === 'custom', timeZone, problems });
  const { updatedSince = '' } = parameters;
  const since = problems.in(() => (updatedSince ? instantOf(updatedSince) : null), null);
  problems.refuse();

  const range = presetRange(preset, { now, timeZone });
  return {
    organizationId: organization.id,
    withServiceMeetings: organization.eap,
    eapOnly: report === 'eap_meetings',
    state: stateOf(preset),
    starts: explicit === null ? range : intersection(range, explicit),
    updatedSince: since,
    now,
  };
}

function stateOf(preset: Preset): MeetingSelection['state'] {
  if (preset === 'all' || preset === 'all_past') return 'past';
  return preset === 'all_upcoming' ? 'upcoming' : 'any';
}

/** Reads `updatedSince`. */
function instantOf(text: string): Date {
  const instant = parseInstant(text);
  if (instant !== null) return clampTimestamp(instant);
  const message = 'must be an existing date and time with its offset, such as 2026-11-20T18:30:00.000Z';
  throw new Refusal('invalid-request', [{ field: 'updatedSince', code: 'malformed', message }]);
}

/** Null unless both ends are given: one end alone has no effect. */
function explicitRange(
  { startTime, endTime }: Pick<ExportParameters, 'startTime' | 'endTime'>,
  {
    required,
    timeZone,
    problems,
  }: { readonly required: boolean; readonly timeZone: string; readonly problems: Problems },
): TimeRange | null {
  const read = (field: 'startTime' | 'endTime', text: string | undefined): Date | null =>
    text ? problems.in(() => parseLocalTime(text, { field, timeZone }), null) : null;
  const start = read('startTime', startTime);
  const end = read('endTime', endTime);
  if (required && !(startTime && endTime)) {
    problems.add({
      field: null,
      code: 'range-incomplete',
      message: 'A custom range needs both a start and an end',
    });
  }
  return start === null || end === null ? null : { from: start, before: end };
}

/** Returns the value if it is allowed, or the first allowed value if there is none. */
function oneOf<Value extends string>(
  allowed: readonly [Value, ...Value[]],
  { field, value }: { readonly field: Field; readonly value: string | undefined },
): Value {
  if (!value) return allowed[0];
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined)
    throw new Refusal('invalid-request', [
      { field, code: 'not-allowed', message: `must be one of ${allowed.join(', ')}` },
    ]);
  return found;
}

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
