import type { ExportColumnKey } from '@rollcall/core';
import { exportColumns } from '@rollcall/core/rules';
import type { Request } from 'express';

/** The meetings and columns to export, from the page's address, with the API's names. */
export type ExportChoice = Readonly<
  Record<'reportingDays' | 'startTime' | 'endTime' | 'reportType', string>
> & { readonly columns: readonly string[] };

const basics = ['name', 'start_time', 'duration', 'status', 'topic', 'host', 'max_attendees'] as const;
const details = ['meeting_description', 'location', 'group_leader_id'] as const;
const booking = [
  'price',
  'allow_meeting_donation',
  'privacy',
  'invitation_only',
  'wait_list',
  'eap',
] as const;
const forPrograms = ['id', 'updated_at'] as const;
const placed = new Set<ExportColumnKey>([...basics, ...details, ...booking, ...forPrograms]);
const others = exportColumns.map(({ key }) => key).filter((key) => !placed.has(key));

/** Every column, in the order of the form, which is also the order in its files. */
export const columnGroups: Readonly<Record<string, readonly ExportColumnKey[]>> = {
  Basics: basics,
  Details: [...others, ...details],
  Booking: booking,
  'For programs': forPrograms,
};

/** The choice of a page that is opened without parameters. */
const defaults: ExportChoice = {
  columns: basics,
  reportingDays: 'all',
  startTime: '',
  endTime: '',
  reportType: 'all_meetings',
};

/** The columns that each button beside the checkboxes selects. */
export const columnPresets: Readonly<Record<'all' | 'none' | 'defaults', readonly string[]>> = {
  all: Object.values(columnGroups).flat(),
  none: [],
  defaults: defaults.columns,
};

/** The field of these buttons, which the API does not have. Bookmarked addresses may contain it. */
export const COLUMN_PRESET = 'tick';

/** The names of the fields, as in section 4.6. */
export const fields = {
  columns: 'column[]',
  reportingDays: 'reporting_days',
  startTime: 'start_time',
  endTime: 'end_time',
  reportType: 'report_type',
} as const satisfies Record<keyof ExportChoice, string>;

/** Reads the choice from any address. The core validates it. */
export function choiceIn({ originalUrl }: Request): ExportChoice {
  const [, query = ''] = originalUrl.split('?', 2);
  const parameters = new URLSearchParams(query);
  const known: readonly string[] = [...Object.values(fields), 'column', COLUMN_PRESET];
  if (![...parameters.keys()].some((name) => known.includes(name))) return defaults;

  const text = (name: string): string => parameters.get(name)?.trim() ?? '';
  return {
    columns:
      new Map<string, readonly string[]>(Object.entries(columnPresets)).get(text(COLUMN_PRESET)) ??
      [...parameters.getAll('column'), ...parameters.getAll(fields.columns)].filter((key) => key !== ''),
    // Both values mean the same, and the form offers one of them.
    reportingDays: text(fields.reportingDays).replace(/^(all_past)?$/, defaults.reportingDays),
    startTime: apiTime(text(fields.startTime)),
    endTime: apiTime(text(fields.endTime)),
    reportType: text(fields.reportType) || defaults.reportType,
  };
}

/** Missing and swapped fields. The API answers these with fewer meetings or none; people get a message. */
export function inputProblems(choice: ExportChoice): Readonly<Partial<Record<keyof ExportChoice, string>>> {
  const { columns, reportingDays, startTime, endTime } = choice;
  const isCustom = reportingDays === 'custom';
  const lacksStart = startTime === '' && (isCustom || endTime !== '');
  const lacksEnd = endTime === '' && (isCustom || startTime !== '');
  const [start, end] = [localTime(startTime), localTime(endTime)];
  return {
    ...(columns.length === 0 && { columns: 'Select at least one column' }),
    ...(lacksStart && { startTime: 'Enter a start' }),
    ...(lacksEnd && { endTime: 'Enter an end' }),
    ...(end !== '' && start > end && { endTime: 'To must not be before From' }),
  };
}

/** The range in the name of a file: `last-month`, or `2026-10-01-to-2026-10-31`. */
export function rangeName({ reportingDays, startTime, endTime }: ExportChoice): string {
  if (reportingDays !== 'custom') return plainNames[reportingDays] ?? reportingDays.replaceAll('_', '-');
  return [startTime, endTime].map((time) => localTime(time).slice(0, 10) || 'some-day').join('-to-');
}

const plainNames: Readonly<Record<string, string>> = { all: 'completed', all_upcoming: 'upcoming' };

/** The API query with the same meaning. */
export function apiQuery({ columns, reportingDays, startTime, endTime, reportType }: ExportChoice): string {
  const pairs = [
    ...columns.map((key) => [fields.columns, key]),
    [fields.reportingDays, reportingDays],
    [fields.startTime, startTime],
    [fields.endTime, endTime],
    ...(reportType === defaults.reportType ? [] : [[fields.reportType, reportType]]),
  ];
  return pairs
    .filter(([, value]) => value !== '')
    .map(([name, value = '']) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}

const LOCAL_TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::\d{2}(?:\.\d+)?)?$/;
const API_TIME = /^(\d{2})\/(\d{2})\/(\d{4}) (\d{2}):(\d{2}) (AM|PM)$/;

/** `11/20/2026 06:30 PM`, from what a browser sends (`2026-11-20T18:30`). Anything else stays as it is. */
function apiTime(text: string): string {
  const [, year, month, day, hour, minute] = LOCAL_TIME.exec(text) ?? [];
  if (year === undefined) return text;
  const clock = String(Number(hour) % 12 || 12).padStart(2, '0');
  return `${month}/${day}/${year} ${clock}:${minute} ${Number(hour) < 12 ? 'AM' : 'PM'}`;
}

/** The reverse, for a browser's field. Empty if the field can't show the text. */
export function localTime(text: string): string {
  const [, month, day, year, hour, minute, half] = API_TIME.exec(text) ?? [];
  if (year === undefined) return '';
  const clock = (Number(hour) % 12) + (half === 'PM' ? 12 : 0);
  return `${year}-${month}-${day}T${String(clock).padStart(2, '0')}:${minute}`;
}

/** Whether the reader wants to select columns anew. It is no mistake then that none is selected. */
export function selectsNone({ query }: Request): boolean {
  return query[COLUMN_PRESET] === 'none';
}
