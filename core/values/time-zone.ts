import { Temporal } from 'temporal-polyfill';
import { Refusal } from '../errors.js';

/** Whether this is the name of an IANA time zone that the runtime knows. An offset such as +02:00 is not one. */
export function isTimeZone(name: unknown): boolean {
  if (typeof name !== 'string' || !/^[A-Za-z][A-Za-z0-9_+\-/]*$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the zone as IANA spells it: `europe/berlin` becomes `Europe/Berlin`.
 *
 * @throws `Refusal`: `invalid-request` if the runtime does not know the zone, or the text is an offset such as
 * `+02:00`.
 */
export function checkTimeZone(timeZone: string): string {
  if (isTimeZone(timeZone)) return new Temporal.ZonedDateTime(0n, timeZone).timeZoneId;
  throw new Refusal('invalid-request', [
    {
      field: 'timeZone',
      code: 'malformed',
      message: 'must be an IANA time zone such as Europe/Berlin or UTC',
    },
  ]);
}
