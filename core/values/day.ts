import { Temporal } from 'temporal-polyfill';

// Apart from what the package exports, whose types must not name `Temporal`: CommonJS that is compiled with
// `"module": "node16"` can't import the types of temporal-polyfill.

/** The calendar day of this time in the zone. */
export function localDay(time: Date, timeZone: string): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(time.getTime()).toZonedDateTimeISO(timeZone).toPlainDate();
}

/** When the day begins in the zone. */
export function startOfDay(day: Temporal.PlainDate, timeZone: string): Date {
  return new Date(day.toZonedDateTime(timeZone).epochMilliseconds);
}

/** ISO 8601: Monday is day 1. */
export function mondayOf(day: Temporal.PlainDate): Temporal.PlainDate {
  return day.subtract({ days: day.dayOfWeek - 1 });
}
