import { Temporal } from 'temporal-polyfill';

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

/** The Monday of the day's week (ISO 8601). */
export function mondayOf(day: Temporal.PlainDate): Temporal.PlainDate {
  return day.subtract({ days: day.dayOfWeek - 1 });
}
