import { Refusal } from '../errors.js';
import { endOfDay, localDay, startOfDay } from '../values/day.js';
import { parseClockTime } from '../values/local-time.js';
import { checkOneOf } from '../values/one-of.js';
import { calendarDays } from './calendar-days.js';
import type { CalendarPreset, TimeRange } from './meeting.js';

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
 * `current_month`, `last_week` (Monday to Sunday) or `last_month`. It is the range from 12:00 AM of the first day to
 * 11:59 PM of the last one, see `parseLocalTime`. `all`, `all_past`, `all_upcoming`, `custom` and `everything` have no
 * bounds: `from` and `before` are null.
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
  const [first, last] = calendarDays[preset](today);
  return { from: startOfDay(first, timeZone), before: endOfDay(last, timeZone) };
}

function isCalendarPreset(preset: Preset): preset is CalendarPreset {
  return preset in calendarDays;
}

const noBounds: TimeRange = { from: null, before: null };

/** Returns the range that lies in both ranges. */
export function intersection(one: TimeRange, other: TimeRange): TimeRange {
  return { from: laterOf(one.from, other.from), before: earlierOf(one.before, other.before) };
}

type TimeField = 'startTime' | 'endTime';

/**
 * Reads `MM/DD/YYYY HH:MM AM/PM` in a time zone, as a bound of a range that contains the whole minute. `startTime`: the
 * first instant at which clocks show it. `endTime`: the end of the last minute in which they do, which the range does not
 * contain. So where clocks show a time twice, the range contains both. Where they skip it, both bounds are the instant
 * at which they do.
 *
 * @throws `Refusal`: `invalid-request` about the `field` for any other text.
 */
export function parseLocalTime(
  text: string,
  { field, timeZone }: { readonly field: TimeField; readonly timeZone: string },
): Date {
  const parts = /^(\d{2})\/(\d{2})\/(\d{4}) (\d{2}):(\d{2}) (AM|PM)$/.exec(text);
  const [, month, day, year, hour, minute, half] = parts ?? [];
  if (parts === null || Number(hour) < 1 || Number(hour) > 12) throw notATime(field);

  const hours = (Number(hour) % 12) + (half === 'PM' ? 12 : 0);
  const clock = `${String(hours).padStart(2, '0')}:${minute}`;
  const time = parseClockTime(`${year}-${month}-${day}T${clock}`, timeZone);
  if (time === null) throw notATime(field);
  return field === 'startTime' ? time.first : time.end;
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
