import { Temporal } from 'temporal-polyfill';
import { Refusal } from '../errors.js';

/**
 * Whether this is the name of an IANA time zone that the runtime knows. Neither an offset such as +02:00 nor a short name
 * of ICU such as PST is one.
 */
export function isTimeZone(name: unknown): boolean {
  // The default, without the 20 ms that the first format of a process takes.
  if (name === 'UTC') return true;
  // Newer runtimes know offsets.
  if (typeof name !== 'string' || !/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    // Ranges are computed with Temporal, which refuses the short names.
    new Temporal.ZonedDateTime(0n, name);
    return true;
  } catch {
    return false;
  }
}

/** Enough for the name of every zone, and a bound for their spellings in requests. */
const MAX_REMEMBERED = 1000;
/** The zones that were checked, by the name as it was given. A check takes as long as a page of an export. */
const checked = new Map<string, string>();

/**
 * Returns the zone as IANA spells it: `europe/berlin` becomes `Europe/Berlin`.
 *
 * @throws `Refusal`: `invalid-request` if the runtime does not know the zone, or the text is an offset such as
 * `+02:00`.
 */
export function checkTimeZone(timeZone: string): string {
  const known = checked.get(timeZone);
  if (known !== undefined) return known;
  if (isTimeZone(timeZone)) {
    const spelled = new Temporal.ZonedDateTime(0n, timeZone).timeZoneId;
    if (checked.size < MAX_REMEMBERED) checked.set(timeZone, spelled);
    return spelled;
  }
  throw new Refusal('invalid-request', [
    {
      field: 'timeZone',
      code: 'malformed',
      message: 'must be an IANA time zone such as Europe/Berlin or UTC',
    },
  ]);
}
