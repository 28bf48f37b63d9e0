import type { ExportColumnKey } from '@rollcall/core';
import { exportColumns } from '@rollcall/core/rules';
import type { Request } from 'express';
import { type FormProblems, problemsOf } from '../design/form.js';

/** The meetings and columns to export, from the page's address, with the API's names. */
export type ExportChoice = Readonly<
  Record<'reportingDays' | 'startTime' | 'endTime' | 'reportType', string>
> & { readonly columns: readonly string[] };

const groups = {
  Basics: ['name', 'start_time', 'duration', 'status', 'topic', 'host', 'max_attendees'],
  Details: ['meeting_description', 'location', 'group_leader_id'],
  Booking: ['price', 'allow_meeting_donation', 'privacy', 'invitation_only', 'wait_list', 'eap'],
  'For programs': ['id', 'updated_at'],
} as const;
const placed = new Set<ExportColumnKey>(Object.values(groups).flat());
const others = exportColumns.map(({ key }) => key).filter((key) => !placed.has(key));

/** Every column, in the order of the form, which is also the order in its files. */
export const columnGroups: Readonly<Record<string, readonly ExportColumnKey[]>> = {
  ...groups,
  Details: [...others, ...groups.Details],
};

/** The choice of a page that is opened without parameters. */
const defaults: ExportChoice = {
  columns: groups.Basics,
  reportingDays: 'all',
  startTime: '',
  endTime: '',
  reportType: 'all_meetings',
};

/** The buttons beside the checkboxes, with the columns that each selects. */
export const columnPresets = new Map<string, { readonly text: string; readonly columns: readonly string[] }>([
  ['all', { text: 'Select all', columns: Object.values(columnGroups).flat() }],
  ['none', { text: 'Select none', columns: [] }],
  ['defaults', { text: 'Reset to defaults', columns: defaults.columns }],
]);

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

export const labels = {
  columns: 'Columns',
  reportingDays: 'Range',
  reportType: 'Report',
  startTime: 'From',
  endTime: 'To',
} as const satisfies Record<keyof ExportChoice, string>;

/** Reads the choice from any address. The core validates it. */
export function choiceIn({ originalUrl }: Request): ExportChoice {
  const [, query = ''] = originalUrl.split('?', 2);
  const parameters = new URLSearchParams(query);
  const known: readonly string[] = [...Object.values(fields), 'column', COLUMN_PRESET];
  if (![...parameters.keys()].some((name) => known.includes(name))) return defaults;

  const text = (name: string): string => parameters.get(name)?.trim() ?? '';
  const columns = [...parameters.getAll('column'), ...parameters.getAll(fields.columns)];
  return {
    columns: columnPresets.get(text(COLUMN_PRESET))?.columns ?? columns.filter((key) => key !== ''),
    // Both values mean the same, and the form offers one of them.
    reportingDays: text(fields.reportingDays).replace(/^(all_past)?$/, defaults.reportingDays),
    startTime: apiTime(text(fields.startTime)),
    endTime: apiTime(text(fields.endTime)),
    reportType: text(fields.reportType) || defaults.reportType,
  };
}

/**
 * What is asked for, or the problems of the form. The API answers missing and swapped fields with fewer meetings or none;
 * people get a message.
 */
export async function foundFor<Found>(
  { columns, reportingDays, startTime, endTime }: ExportChoice,
  find: () => Promise<Found>,
): Promise<Found | FormProblems> {
  const isCustom = reportingDays === 'custom';
  const lacksStart = startTime === '' && (isCustom || endTime !== '');
  const lacksEnd = endTime === '' && (isCustom || startTime !== '');
  const [start, end] = [localTime(startTime), localTime(endTime)];
  const fields = {
    ...(columns.length === 0 && { columns: 'Select at least one column' }),
    ...(lacksStart && { startTime: 'Enter a start' }),
    ...(lacksEnd && { endTime: 'Enter an end' }),
    ...(end !== '' && start > end && { endTime: 'To must not be before From' }),
  };
  if (Object.keys(fields).length > 0) return { general: null, fields };
  return find().catch((error: unknown) => problemsOf(error, labels));
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
