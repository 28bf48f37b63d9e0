import { InvalidArgumentError } from 'commander';

/** A number from 1, as options take it. */
export function positiveInteger(text: string): number {
  const number = Number(text);
  if (!/^[1-9]\d*$/.test(text) || !Number.isSafeInteger(number)) {
    throw new InvalidArgumentError('It must be a whole number such as 1.');
  }
  return number;
}

/** A number from 0. */
export function wholeNumber(text: string): number {
  return text === '0' ? 0 : positiveInteger(text);
}

/** A number from 1 to a largest one. */
export function numberUpTo(most: number): (text: string) => number {
  return (text) => {
    const number = positiveInteger(text);
    if (number > most) throw new InvalidArgumentError(`It must be at most ${most}.`);
    return number;
  };
}

/** Numbers that are given one after the other. */
export function collectIds(text: string, before: readonly number[] | undefined): readonly number[] {
  return [...(before ?? []), positiveInteger(text)];
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const MOMENT = /^(\d{4})-(\d{2})-(\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** A moment: a date (its midnight in UTC), a date and time with its offset, or so long ago (`90m`, `24h`, `7d`). */
export function moment(text: string): Date {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (count !== undefined) return new Date(Date.now() - Number(count) * (UNITS[unit] ?? 0));

  const [, year, month, day] = MOMENT.exec(text) ?? [];
  const time = Date.parse(text);
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  if (year !== undefined && Number(day) <= lastDay && !Number.isNaN(time)) return new Date(time);
  throw new InvalidArgumentError(
    'It must be a date and time that exists, such as 2026-11-20 or 2026-11-20T18:00:00Z, or so long ago: 90m, 24h, 7d.',
  );
}
