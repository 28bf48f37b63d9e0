import { Temporal } from 'temporal-polyfill';

/** 0001-01-01T00:00:00.000Z. */
const EARLIEST = -62_135_596_800_000;
/** The last time that every database can store and whose year has four digits. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** The time, or the nearest one that every database can store. */
export function clampTimestamp(time: Date): Date {
  return new Date(Math.min(Math.max(time.getTime(), EARLIEST), LATEST));
}

const INSTANT = /^\d\d\d\d-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Reads an ISO 8601 time with its offset from UTC, such as `2026-11-20T18:00:00Z` or `2026-11-20T19:00+01:00`. Digits
 * beyond milliseconds are cut off. Null: it is not one, or there is no such day or time.
 */
export function parseInstant(text: string): Date | null {
  if (!INSTANT.test(text)) return null;
  try {
    return new Date(Temporal.Instant.from(text).epochMilliseconds);
  } catch {
    return null;
  }
}
