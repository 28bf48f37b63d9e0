import type { Request } from 'express';

/**
 * Moments as people read them, in a zone that is named beside them. The reader's zone comes in a cookie that the
 * pages' script sets; without script, or where we don't know the zone, it is the organization's, and else UTC.
 */
export type TimeZone = string;

const COOKIE = /(?:^|; )time_zone=([A-Za-z0-9_+\-/]{1,64})(?:;|$)/;

export function timeZoneOf(
  request: Request,
  organization: { readonly timeZone: string | null } | null = null,
): TimeZone {
  const asked = COOKIE.exec(request.get('cookie') ?? '')?.[1];
  const known = [asked, organization?.timeZone ?? undefined].find(
    (zone) => zone !== undefined && formatsIn(zone) !== null,
  );
  return known ?? 'UTC';
}

interface Formats {
  readonly day: Intl.DateTimeFormat;
  readonly shortDay: Intl.DateTimeFormat;
  readonly clock: Intl.DateTimeFormat;
  readonly offset: Intl.DateTimeFormat;
  readonly isoDay: Intl.DateTimeFormat;
}

/** The zones that exist are fewer; a cookie may name one in many spellings. */
const KEPT = 1000;
const formats = new Map<TimeZone, Formats | null>();

/** Null where there is no such zone. */
function formatsIn(timeZone: TimeZone): Formats | null {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const made = makeFormats(timeZone);
  if (formats.size >= KEPT) formats.clear();
  formats.set(timeZone, made);
  return made;
}

function makeFormats(timeZone: TimeZone): Formats | null {
  const format = (options: Intl.DateTimeFormatOptions, locale = 'en-GB') =>
    new Intl.DateTimeFormat(locale, { timeZone, ...options });
  try {
    return {
      day: format({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }),
      shortDay: format({ weekday: 'short', day: 'numeric', month: 'short' }),
      clock: format({ hour: '2-digit', minute: '2-digit' }),
      offset: format({ timeZoneName: 'shortOffset' }),
      isoDay: format({ year: 'numeric', month: '2-digit', day: '2-digit' }, 'sv-SE'),
    };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function existing(zone: TimeZone): Formats {
  const found = formatsIn(zone);
  if (found === null) throw new Error(`there is no time zone ${zone}`);
  return found;
}

/** The calendar day in the zone, such as `2026-11-20`. */
export function dayOf(moment: Date, zone: TimeZone): string {
  return existing(zone).isoDay.format(moment);
}

/** `GMT+1`, as it holds at the moment. */
function offsetAt(moment: Date, zone: TimeZone): string {
  if (zone === 'UTC') return zone;
  const parts = existing(zone).offset.formatToParts(moment);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone;
}

/** `2026-11-20T18:00` in the zone, as fields for a moment hold it. */
export function localText(moment: Date, zone: TimeZone): string {
  const { clock, isoDay } = existing(zone);
  return `${isoDay.format(moment)}T${clock.format(moment)}`;
}

/**
 * The moment that a field means, or null where it holds none. An hour that the clocks skip counts as if they
 * had not been moved; of one that comes twice it is the first.
 */
export function parseTimestamp(text: string, zone: TimeZone): Date | null {
  const [minute] = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?=$|:\d{2})/.exec(text) ?? [];
  const local = new Date(`${minute}Z`);
  if (minute === undefined || Number.isNaN(local.getTime())) return null;
  if (!local.toISOString().startsWith(minute)) return null;
  const [asBefore, asAfter] = [-DAY, DAY].map((shift) => {
    const offset = offsetOf(new Date(local.getTime() + shift), zone);
    return new Date(local.getTime() - offset);
  }) as [Date, Date];
  const isMeant = localText(asBefore, zone) !== minute && localText(asAfter, zone) === minute;
  return isMeant ? asAfter : asBefore;
}

const DAY = 24 * 60 * 60 * 1000;

/** Milliseconds by which the zone's clocks are ahead of UTC at a full minute. */
function offsetOf(minute: Date, zone: TimeZone): number {
  return Date.parse(`${localText(minute, zone)}Z`) - minute.getTime();
}

interface AtProps {
  readonly moment: Date;
  readonly zone: TimeZone;
}

/** `Friday 20 November 2026`, of a day as `dayOf` gives it. */
export function Day({ day }: { readonly day: string }) {
  return <time datetime={day}>{existing('UTC').day.format(new Date(day)).replace(',', '')}</time>;
}

/** `20 Nov`, of a day as `dayOf` gives it. */
export function dayAndMonth(day: string): string {
  return existing('UTC').shortDay.format(new Date(day)).replace(/^\S+ /, '');
}

/** `20 Nov 2026, 18:00`, for tables, which name the zone once. */
export function Moment({ moment, zone }: AtProps) {
  const { clock, isoDay, shortDay } = existing(zone);
  const date = shortDay.format(moment).replace(/^\S+ /, '');
  const year = isoDay.format(moment).slice(0, 4);
  return <time datetime={moment.toISOString()}>{`${date} ${year}, ${clock.format(moment)}`}</time>;
}

/** `18:00 – 19:00 GMT+1`, with the day of the end where it is another one. */
export function TimeRange({
  from,
  to,
  zone,
}: {
  readonly from: Date;
  readonly to: Date;
  readonly zone: TimeZone;
}) {
  const { clock, shortDay } = existing(zone);
  const end = dayOf(from, zone) === dayOf(to, zone) ? '' : `${shortDay.format(to).replace(',', '')}, `;
  return (
    <span class="range">
      <time datetime={from.toISOString()}>{clock.format(from)}</time>
      {' – '}
      <time datetime={to.toISOString()}>{`${end}${clock.format(to)}`}</time>
      {` ${offsetAt(to, zone)}`}
    </span>
  );
}

/** Which zone the times beside it are in. */
export function ZoneNote({ zone }: { readonly zone: TimeZone }) {
  return <p class="fine-print zone">{`Times are in the zone ${zone.replaceAll('_', ' ')}.`}</p>;
}
