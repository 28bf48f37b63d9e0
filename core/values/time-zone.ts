import { Temporal } from 'temporal-polyfill';
import { Refusal } from '../errors.js';

/** The zone, if the runtime knows it. */
export function checkTimeZone(timeZone: string): string {
  try {
    // An offset such as +02:00 is no IANA name, though Temporal takes it.
    if (/^[A-Za-z][A-Za-z0-9_+\-/]*$/.test(timeZone)) {
      return new Temporal.ZonedDateTime(0n, timeZone).timeZoneId;
    }
  } catch {
    // Falls through to the refusal.
  }
  throw new Refusal('invalid-request', [
    {
      field: 'timeZone',
      code: 'malformed',
      message: 'must be an IANA time zone such as Europe/Berlin or UTC',
    },
  ]);
}
