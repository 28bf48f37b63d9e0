/** 0001-01-01T00:00:00.000Z. */
const EARLIEST = -62_135_596_800_000;
/** The last moment that every database holds and that still has four digits in its year. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** The moment, or the nearest one that every database holds. */
export function clampTimestamp(moment: Date): Date {
  return new Date(Math.min(Math.max(moment.getTime(), EARLIEST), LATEST));
}
