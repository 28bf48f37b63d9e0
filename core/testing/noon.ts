/** When most of what the tests tell happens. */
export const noon = new Date('2026-11-20T12:00:00.000Z');

/** The time so many minutes after noon. */
export function minutes(number: number): Date {
  return new Date(noon.getTime() + number * 60_000);
}

/** Five minutes after noon. */
export const later = minutes(5);
