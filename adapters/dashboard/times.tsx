/** Times as the server shows them: in UTC, and saying so. */

const dayFormat = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
});
const clockFormat = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', hour: '2-digit', minute: '2-digit' });
const shortDayFormat = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  weekday: 'short',
  day: 'numeric',
  month: 'short',
});

/** The calendar day, such as `2026-11-20`. */
export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

/** `Friday 20 November 2026` */
export function Day({ moment }: { readonly moment: Date }) {
  return <time datetime={dayOf(moment)}>{dayFormat.format(moment).replace(',', '')}</time>;
}

/** `18:00 – 19:00 UTC`, with the day of the end where it is another one. */
export function TimeRange({ from, to }: { readonly from: Date; readonly to: Date }) {
  const end = dayOf(from) === dayOf(to) ? '' : `${shortDayFormat.format(to).replace(',', '')}, `;
  return (
    <span class="range">
      <time datetime={from.toISOString()}>{clockFormat.format(from)}</time>
      {' – '}
      <time datetime={to.toISOString()}>{`${end}${clockFormat.format(to)}`}</time>
      {' UTC'}
    </span>
  );
}
