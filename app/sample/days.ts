const DAY_MS = 24 * 60 * 60 * 1000;
const MINUTE_MS = 60 * 1000;

/** Days before and after today in which meetings take place. */
export const MAX_DAYS_FROM_TODAY = 365;

export function startOfDay(time: Date): Date {
  return new Date(Math.floor(time.getTime() / DAY_MS) * DAY_MS);
}

/** The midnight (UTC) that the dates of a sample count from, given the start of its first meeting. */
export function sampleDayOf(firstMeetingStart: Date): Date {
  return new Date(startOfDay(firstMeetingStart).getTime() + MAX_DAYS_FROM_TODAY * DAY_MS);
}

/** Formats a time for a dataset, from days and minutes after the start of `today`. */
export function timestamp(today: Date, days: number, minutes: number): string {
  return new Date(today.getTime() + days * DAY_MS + minutes * MINUTE_MS).toISOString();
}
