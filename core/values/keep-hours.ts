const HOUR_MS = 60 * 60 * 1000;

/** The longest time, in hours, for which a replaced key or secret can stay in use: a week. */
export const maxKeepHours = 168;

/** When a key or secret that is replaced at `at` stops working. */
export function keptUntil(at: Date, hours: number): Date {
  return new Date(at.getTime() + hours * HOUR_MS);
}
