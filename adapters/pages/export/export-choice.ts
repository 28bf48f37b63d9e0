import { type ExportParameters, exportColumns } from '@rollcall/core';
import type { Request } from 'express';

/** Which meetings, and what of them, as the address of the page says: with the names that the interface has. */
export type ExportChoice = Readonly<
  Record<'reportingDays' | 'startTime' | 'endTime' | 'reportType', string>
> & { readonly columns: readonly string[] };

/** Whatever the page is opened with; a page that is opened without anything has the usual choice. */
const usual: ExportChoice = {
  columns: ['name', 'start_time', 'duration', 'status', 'topic', 'host', 'max_attendees'],
  reportingDays: 'all',
  startTime: '',
  endTime: '',
  reportType: 'all_meetings',
};

/** What the buttons beside the columns tick in the place of what is ticked. */
const ticks: Readonly<Record<string, readonly string[]>> = {
  all: exportColumns.map(({ key }) => key),
  usual: usual.columns,
};

/** The field of these buttons, which the interface does not have. */
export const TICK = 'tick';

/** The names of the fields, which are those of section 4.6. */
export const fields = {
  columns: 'column[]',
  reportingDays: 'reporting_days',
  startTime: 'start_time',
  endTime: 'end_time',
  reportType: 'report_type',
} as const satisfies Record<keyof ExportChoice, string>;

/** Nothing in an address is a mistake here: what it means is for the core to say. */
export function choiceIn({ originalUrl }: Request): ExportChoice {
  const [, query = ''] = originalUrl.split('?', 2);
  const given = new URLSearchParams(query);
  const known: readonly string[] = [...Object.values(fields), 'column', TICK];
  if (![...given.keys()].some((name) => known.includes(name))) return usual;

  const text = (name: string): string => given.get(name)?.trim() ?? '';
  return {
    columns:
      ticks[text(TICK)] ??
      [...given.getAll('column'), ...given.getAll(fields.columns)].filter((key) => key !== ''),
    // Both mean the same, and people choose from one of them.
    reportingDays: text(fields.reportingDays).replace(/^(all_past)?$/, usual.reportingDays),
    startTime: wireTime(text(fields.startTime)),
    endTime: wireTime(text(fields.endTime)),
    reportType: text(fields.reportType) || usual.reportType,
  };
}

/** What people have forgotten or mixed up, by field; to programs it is an answer of fewer meetings, or of none. */
export function mistakesIn({
  columns,
  reportingDays,
  startTime,
  endTime,
}: ExportChoice): Readonly<Record<string, string>> {
  const isBetween = reportingDays === 'custom';
  const reason = (other: string): string =>
    isBetween ? 'where Range is “Meetings between two times”' : `where ${other} is filled in`;
  const lacksStart = startTime === '' && (isBetween || endTime !== '');
  const lacksEnd = endTime === '' && (isBetween || startTime !== '');
  const [start, end] = [localTime(startTime), localTime(endTime)];
  return {
    ...(columns.length === 0 && { column: 'Columns: tick at least one' }),
    ...(lacksStart && { [fields.startTime]: `From is required ${reason('To')}` }),
    ...(lacksEnd && { [fields.endTime]: `To is required ${reason('From')}` }),
    ...(end !== '' && start > end && { [fields.endTime]: 'To must not be before From' }),
  };
}

/** What the core is asked; it takes empty texts for left out. */
export function parametersOf(choice: ExportChoice): ExportParameters {
  return choice;
}

/** The query of the interface that means the same. */
export function queryOf({ columns, reportingDays, startTime, endTime, reportType }: ExportChoice): string {
  const pairs = [
    ...columns.map((key) => [fields.columns, key]),
    [fields.reportingDays, reportingDays],
    [fields.startTime, startTime],
    [fields.endTime, endTime],
    ...(reportType === usual.reportType ? [] : [[fields.reportType, reportType]]),
  ];
  return pairs
    .filter(([, value]) => value !== '')
    .map(([name, value = '']) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}

const LOCAL = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::\d{2}(?:\.\d+)?)?$/;
const WIRE = /^(\d{2})\/(\d{2})\/(\d{4}) (\d{2}):(\d{2}) (AM|PM)$/;

/** `11/20/2026 06:30 PM`, of what a browser sends (`2026-11-20T18:30`); anything else stays as it is. */
function wireTime(text: string): string {
  const [, year, month, day, hour, minute] = LOCAL.exec(text) ?? [];
  if (year === undefined) return text;
  const clock = String(Number(hour) % 12 || 12).padStart(2, '0');
  return `${month}/${day}/${year} ${clock}:${minute} ${Number(hour) < 12 ? 'AM' : 'PM'}`;
}

/** The same for a browser's field; empty where it can't show the text. */
export function localTime(text: string): string {
  const [, month, day, year, hour, minute, half] = WIRE.exec(text) ?? [];
  if (year === undefined) return '';
  const clock = (Number(hour) % 12) + (half === 'PM' ? 12 : 0);
  return `${year}-${month}-${day}T${String(clock).padStart(2, '0')}:${minute}`;
}
