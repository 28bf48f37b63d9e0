/** 0001-01-01T00:00:00.000Z. */
const EARLIEST = -62_135_596_800_000;
/** The last time that every database can store and whose year has four digits. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** The time, or the nearest one that every database can store. */
export function clampTimestamp(time: Date): Date {
  return new Date(Math.min(Math.max(time.getTime(), EARLIEST), LATEST));
}
