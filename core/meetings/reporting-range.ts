import { Temporal } from 'temporal-polyfill';
import { Refusal } from '../errors.js';
import { localDay, mondayOf, startOfDay } from '../values/day.js';
import { checkOneOf } from '../values/one-of.js';
import type { TimeRange } from './meeting.js';

/**
 * The names of the reporting ranges, in the order in which they are documented. `all`, `all_past`, `all_upcoming`,
 * `custom` and `everything` have no bounds of their own; the others follow the calendar.
 */
export const presets = [
  'all',
  'all_past',
  'all_upcoming',
  'today',
  'current_month',
  'last_week',
  'last_month',
  'custom',
  'everything',
] as const;

/** The name of a reporting range, see `presets`. */
export type Preset = (typeof presets)[number];

/**
 * Returns the range of a preset in calendar days of the time zone, which may have 23 or 25 hours: `today`,
 * `current_month`, `last_week` (Monday to Sunday) or `last_month`. `all`, `all_past`, `all_upcoming`, `custom` and
 * `everything` have no bounds: `from` and `before` are null.
 *
 * @throws `TypeError` if the preset is not one of `presets`, `RangeError` if the runtime does not know the time zone.
 */
export function presetRange(
  preset: Preset,
  { now, timeZone }: { readonly now: Date; readonly timeZone: string },
): TimeRange {
  checkOneOf('preset', presets, preset);
  if (!isCalendarPreset(preset)) return noBounds;
  const today = localDay(now, timeZone);
  const [from, before] = calendarDays[preset](today);
  return { from: startOfDay(from, timeZone), before: startOfDay(before, timeZone) };
}

type CalendarPreset = 'today' | 'current_month' | 'last_week' | 'last_month';
type Days = readonly [from: Temporal.PlainDate, before: Temporal.PlainDate];

/** The days of each preset that follows the calendar. */
const calendarDays: Record<CalendarPreset, (today: Temporal.PlainDate) => Days> = {
  today: (today) => [today, today.add({ days: 1 })],
  current_month: (today) => [firstOfMonth(today), firstOfMonth(today).add({ months: 1 })],
  last_week: (today) => [mondayOf(today).subtract({ days: 7 }), mondayOf(today)],
  last_month: (today) => [firstOfMonth(today).subtract({ months: 1 }), firstOfMonth(today)],
};

function isCalendarPreset(preset: Preset): preset is CalendarPreset {
  return preset in calendarDays;
}

function firstOfMonth(day: Temporal.PlainDate): Temporal.PlainDate {
  return day.with({ day: 1 });
}

const noBounds: TimeRange = { from: null, before: null };

/** The latest time that every database can store and whose year has four digits. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Returns the range from `start` to `end`, both included. Times are whole milliseconds. */
export function inclusiveRange({ start, end }: { readonly start: Date; readonly end: Date }): TimeRange {
  return { from: start, before: new Date(Math.min(end.getTime() + 1, LATEST)) };
}

/** Returns the range that lies in both ranges. */
export function intersection(one: TimeRange, other: TimeRange): TimeRange {
  return { from: laterOf(one.from, other.from), before: earlierOf(one.before, other.before) };
}

type TimeField = 'startTime' | 'endTime';

/**
 * Reads `MM/DD/YYYY HH:MM AM/PM` in a time zone. A time that the clocks skip in spring counts as if they had not been
 * changed; a time that they repeat in autumn counts as the first of the two.
 *
 * @throws `Refusal`: `invalid-request` about the `field` for any other text.
 */
export function parseLocalTime(
  text: string,
  { field, timeZone }: { readonly field: TimeField; readonly timeZone: string },
): Date {
  const parts = /^(\d{2})\/(\d{2})\/(\d{4}) (\d{2}):(\d{2}) (AM|PM)$/.exec(text);
  const hour = Number(parts?.[4]);
  if (parts === null || hour < 1 || hour > 12) throw notATime(field);

  const local = existing(field, {
    year: Number(parts[3]),
    month: Number(parts[1]),
    day: Number(parts[2]),
    hour: (hour % 12) + (parts[6] === 'PM' ? 12 : 0),
    minute: Number(parts[5]),
  });
  return new Date(Math.min(local.toZonedDateTime(timeZone).epochMilliseconds, LATEST));
}

function existing(field: TimeField, time: Temporal.PlainDateTimeLike): Temporal.PlainDateTime {
  try {
    return Temporal.PlainDateTime.from(time, { overflow: 'reject' });
  } catch {
    throw notATime(field);
  }
}

function notATime(field: TimeField): Refusal {
  const message =
    'must be an existing date and time in the format MM/DD/YYYY HH:MM AM/PM, such as 11/20/2026 06:30 PM';
  return new Refusal('invalid-request', [{ field, code: 'malformed', message }]);
}

function laterOf(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return new Date(Math.max(one.getTime(), other.getTime()));
}

function earlierOf(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return new Date(Math.min(one.getTime(), other.getTime()));
}
