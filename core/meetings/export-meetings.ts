import type { Organization } from '../access/ports.js';
import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import { checkId } from '../values/ids.js';
import { checkOneOf, type Unchecked } from '../values/one-of.js';
import { clampPage, pageOffset, totalPages } from '../values/page.js';
import type { Field } from '../values/problem.js';
import { Problems } from '../values/problems.js';
import { checkTimeZone } from '../values/time-zone.js';
import {
  chooseColumns,
  csvHeader,
  type ExportColumnKey,
  type ExportForm,
  exportForms,
} from './export-columns.js';
import type { MeetingSelection, TimeRange } from './meeting.js';
import {
  inclusiveRange,
  intersection,
  type Preset,
  parseLocalTime,
  presetRange,
  presets,
} from './reporting-range.js';

export const reportTypes = ['all_meetings', 'eap_meetings'] as const;
export type ReportType = (typeof reportTypes)[number];

/** The parameters of an export as the client sent them. Undefined and empty values count as left out. */
export interface ExportParameters {
  readonly columns: readonly Unchecked<ExportColumnKey>[];
  readonly reportingDays?: Unchecked<Preset> | undefined;
  readonly startTime?: string | undefined;
  readonly endTime?: string | undefined;
  readonly reportType?: Unchecked<ReportType> | undefined;
  readonly timeZone?: string | undefined;
  /** Both are limited to their range and never refused: `page` from 1, `perPage` from 1 to 100 (the default). */
  readonly page?: unknown;
  readonly perPage?: unknown;
}

export interface ExportMeetings extends ExportParameters {
  readonly organization: Organization;
  /** `json` by default. */
  readonly form?: ExportForm | undefined;
}

export interface ExportedMeetings {
  /** Null if no page was requested. */
  readonly metadata: {
    readonly page: number;
    readonly perPage: number;
    readonly totalPages: number;
    readonly totalCount: number;
  } | null;
  /** UTF-8. `json`: objects separated by commas; `ndjson`: one object per line; `csv`: a whole file with its header. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/**
 * Exports the organization's meetings with the chosen columns: all of them or, if `page` or `perPage` is given, one
 * page. Throws a `Refusal` with every parameter that is wrong.
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
 * Returns the selection that the parameters describe: the preset, limited by the explicit range if there is one. Throws
 * one `Refusal` with every mistake.
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
  problems.refuse();

  const range = presetRange(preset, { now, timeZone });
  return {
    organizationId: organization.id,
    withServiceMeetings: organization.eap,
    eapOnly: report === 'eap_meetings',
    state: stateOf(preset),
    starts: explicit === null ? range : intersection(range, explicit),
    now,
  };
}

function stateOf(preset: Preset): MeetingSelection['state'] {
  if (preset === 'all' || preset === 'all_past') return 'past';
  return preset === 'all_upcoming' ? 'upcoming' : 'any';
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
  return start === null || end === null ? null : inclusiveRange({ start, end });
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
