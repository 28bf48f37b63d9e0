import { Temporal } from 'temporal-polyfill';

/** When the clocks of a zone show a time. Where they show it once, `first` and `last` are the same. */
export interface ClockTime {
  /** When they show it first. */
  readonly first: Date;
  /** When they begin to show it for the last time. */
  readonly last: Date;
  /** When that minute or second has passed. */
  readonly end: Date;
}

/**
 * Reads `2026-11-20T18:00`, which means that whole minute, or `2026-11-20T18:00:05`, which means that second. Null: it is
 * not one, or there is no such day or time. Of a time that the clocks skip, all three are the instant at which they do.
 *
 * So a range from `first` to `end` contains every instant at which the clocks show the time, and ranges that adjoin on
 * the clock leave nothing between them.
 *
 * @throws `RangeError` if the runtime does not know the time zone.
 */
export function parseClockTime(text: string, timeZone: string): ClockTime | null {
  const parts = /^\d\d\d\d-\d\d-\d\dT\d\d:\d\d(:[0-5]\d)?$/.exec(text);
  const start = parts && existing(text);
  return start && clockTime(start, { lengthMs: parts[1] === undefined ? 60_000 : 1000, timeZone });
}

function existing(text: string): Temporal.PlainDateTime | null {
  try {
    return Temporal.PlainDateTime.from(text);
  } catch {
    return null;
  }
}

function clockTime(
  start: Temporal.PlainDateTime,
  { lengthMs, timeZone }: { readonly lengthMs: number; readonly timeZone: string },
): ClockTime {
  const first = instantOf(start, { timeZone, disambiguation: 'earlier' });
  const last = instantOf(start, { timeZone, disambiguation: 'later' });
  const end = instantOf(start.add({ milliseconds: lengthMs - 1 }), { timeZone, disambiguation: 'later' });
  return {
    first: new Date(first.at),
    last: new Date(last.at),
    end: new Date(end.isShown ? end.at + 1 : end.at),
  };
}

/** When the clocks show the time, or when they skip it. */
function instantOf(
  local: Temporal.PlainDateTime,
  { timeZone, disambiguation }: { readonly timeZone: string; readonly disambiguation: 'earlier' | 'later' },
): { readonly at: number; readonly isShown: boolean } {
  const found = local.toZonedDateTime(timeZone, { disambiguation });
  if (found.toPlainDateTime().equals(local)) return { at: found.epochMilliseconds, isShown: true };
  // Of a time that is skipped, the earlier reading lies before the change.
  const before = local.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
  const change = before.getTimeZoneTransition('next') ?? found;
  return { at: change.epochMilliseconds, isShown: false };
}
