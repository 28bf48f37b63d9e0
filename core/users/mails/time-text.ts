import { Temporal } from 'temporal-polyfill';

/** Such as `2026-11-20 at 13:00 (Europe/Berlin)`, or `2026-11-20 at 12:00 UTC` without a zone. */
export function timeText(at: Date, timeZone: string | null): string {
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone ?? 'UTC');
  const time = local.toPlainTime().toString({ smallestUnit: 'minute' });
  return `${local.toPlainDate().toString()} at ${time} ${timeZone === null ? 'UTC' : `(${timeZone})`}`;
}
