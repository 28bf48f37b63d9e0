import { Temporal } from 'temporal-polyfill';
import { type ClockTime, parseClockTime } from './local-time.js';

// These functions are in a file that the package does not export, because exported types must not name `Temporal`:
// CommonJS code compiled with `"module": "node16"` can't import the types of temporal-polyfill.

/** The calendar day of this time in the zone. */
export function localDay(time: Date, timeZone: string): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(time.getTime()).toZonedDateTimeISO(timeZone).toPlainDate();
}

/** When the day begins in the zone. */
export function startOfDay(day: Temporal.PlainDate, timeZone: string): Date {
  return new Date(day.toZonedDateTime(timeZone).epochMilliseconds);
}

/** When the last minute of the day has passed in the zone, for the second time if the clocks show it twice. */
export function endOfDay(day: Temporal.PlainDate, timeZone: string): Date {
  const lastMinute = parseClockTime(`${day.toString()}T23:59`, timeZone) as ClockTime;
  return lastMinute.end;
}

/** The Monday of the day's week (ISO 8601). */
export function mondayOf(day: Temporal.PlainDate): Temporal.PlainDate {
  return day.subtract({ days: day.dayOfWeek - 1 });
}
