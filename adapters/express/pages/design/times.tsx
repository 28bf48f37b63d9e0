import type { Request } from 'express';

/**
 * Timestamps as people read them, with their zone beside them. The reader's zone comes in a cookie that the
 * pages' script sets. Without the cookie, or if its zone is unknown, it is the organization's, else UTC.
 */
export type TimeZone = string;

const COOKIE = /(?:^|; )time_zone=([A-Za-z0-9_+\-/]{1,64})(?:;|$)/;

export function timeZoneOf(
  request: Request,
  organization: { readonly timeZone: string | null } | null = null,
): TimeZone {
  const requested = COOKIE.exec(request.get('cookie') ?? '')?.[1];
  const known = [requested, organization?.timeZone ?? undefined].find(
    (zone) => zone !== undefined && formatsIn(zone) !== null,
  );
  return known ?? 'UTC';
}

type Formats = Readonly<NonNullable<ReturnType<typeof makeFormats>>>;

/** The maximum number of cached formats. There are fewer zones, but a cookie may spell one in many ways. */
const MAX_CACHED_FORMATS = 1000;
const formats = new Map<TimeZone, Formats | null>();

function formatsIn(timeZone: TimeZone): Formats | null {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const made = makeFormats(timeZone);
  if (formats.size >= MAX_CACHED_FORMATS) formats.clear();
  formats.set(timeZone, made);
  return made;
}

/** Null if there is no such zone. */
function makeFormats(timeZone: TimeZone) {
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

function formatsOf(zone: TimeZone): Formats {
  const found = formatsIn(zone);
  if (found === null) throw new Error(`there is no time zone ${zone}`);
  return found;
}

/** The calendar day in the zone, such as `2026-11-20`. */
export function dayOf(time: Date, zone: TimeZone): string {
  return formatsOf(zone).isoDay.format(time);
}

/** The zone's offset at that time, such as `GMT+1`. */
function offsetAt(time: Date, zone: TimeZone): string {
  if (zone === 'UTC') return zone;
  const parts = formatsOf(zone).offset.formatToParts(time);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone;
}

/** `2026-11-20T18:00:05` in the zone, for `datetime-local` fields with `step="1"`. */
export function localTextWithSeconds(time: Date, zone: TimeZone): string {
  const { clock, isoDay } = formatsOf(zone);
  return `${isoDay.format(time)}T${clock.format(time)}:${secondsOf(time)}`;
}

/** Offsets are whole minutes, so that seconds are the same in every zone. */
function secondsOf(time: Date): string {
  return time.toISOString().slice(17, 19);
}

interface TimestampProps {
  readonly at: Date;
  readonly zone: TimeZone;
  /** For what is compared with the log of another program. */
  readonly hasSeconds?: boolean;
}

/** `Friday 20 November 2026`, of a day as `dayOf` gives it. */
export function Day({ day }: { readonly day: string }) {
  return <time datetime={day}>{formatsOf('UTC').day.format(new Date(day)).replace(',', '')}</time>;
}

/** `November 2026`, of a month such as `2026-11`. */
export function Month({ month }: { readonly month: string }) {
  const first = `${month}-01`;
  const name = formatsOf('UTC')
    .day.format(new Date(first))
    .replace(/^.*? 1 /, '');
  return <time datetime={month}>{name}</time>;
}

/** `20 Nov`, of a day as `dayOf` gives it. */
export function dayAndMonth(day: string): string {
  return formatsOf('UTC').shortDay.format(new Date(day)).replace(/^\S+ /, '');
}

/** `20 Nov 2026`, of a day as `dayOf` gives it. */
export function dayInWords(day: string): string {
  return `${dayAndMonth(day)} ${day.slice(0, 4)}`;
}

/** `Tue 24 Nov, 18:00`, with the year unless it is the present one. */
export function StartTime({ at, zone, now }: TimestampProps & { readonly now: Date }) {
  const { clock, shortDay } = formatsOf(zone);
  const year = dayOf(at, zone).slice(0, 4);
  const date = shortDay.format(at).replace(',', '');
  const day = year === dayOf(now, zone).slice(0, 4) ? date : `${date} ${year}`;
  return <time datetime={at.toISOString()}>{`${day}, ${clock.format(at)}`}</time>;
}

/** `20 Nov 2026, 18:00` or `20 Nov 2026, 18:00:05`, for tables, which name the zone once. */
export function Timestamp({ at, zone, hasSeconds = false }: TimestampProps) {
  const time = `${clockText(at, zone)}${hasSeconds ? `:${secondsOf(at)}` : ''}`;
  return <time datetime={at.toISOString()}>{`${dayInWords(dayOf(at, zone))}, ${time}`}</time>;
}

/** The same with its zone, for sentences. */
export function ZonedTime(time: TimestampProps) {
  return (
    <>
      <Timestamp {...time} /> ({zoneName(time.zone)})
    </>
  );
}

/** `Tue 24 Nov`, beside a time. */
export function ShortDay({ at, zone }: TimestampProps) {
  return <time datetime={dayOf(at, zone)}>{formatsOf(zone).shortDay.format(at).replace(',', '')}</time>;
}

/** `17:45`, beside a time with its zone. */
export function ClockTime({ at, zone }: TimestampProps) {
  return <time datetime={at.toISOString()}>{clockText(at, zone)}</time>;
}

/** `17:45` */
export function clockText(at: Date, zone: TimeZone): string {
  return formatsOf(zone).clock.format(at);
}

/** `18:00 – 19:00 GMT+1`, with the day of the end if it differs. */
export function TimeRange({
  from,
  to,
  zone,
}: Readonly<Record<'from' | 'to', Date>> & Pick<TimestampProps, 'zone'>) {
  const { clock, shortDay } = formatsOf(zone);
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

/** Names the zone of the times next to it. */
export function ZoneNote({ zone }: { readonly zone: TimeZone }) {
  return <p class="fine-print zone">{`Times are in ${zoneName(zone)}.`}</p>;
}

/** `America/New York`, as people read the name of a zone. */
export function zoneName(zone: TimeZone): string {
  return zone.replaceAll('_', ' ');
}
