/** The time of most events in the tests. */
export const noon = new Date('2026-11-20T12:00:00.000Z');

/** The time this number of minutes after noon. */
export function minutes(number: number): Date {
  return new Date(noon.getTime() + number * 60_000);
}

/** Five minutes after noon. */
export const later = minutes(5);
