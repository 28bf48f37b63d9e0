import { InvalidArgumentError } from 'commander';

/** The core's `maxKeepHours`, which would load the core and its dependency for each `--help`. */
export const maxKeepHours = 168;

/** Parses the value of an option: an integer from 1. */
export function positiveInteger(text: string): number {
  const number = Number(text);
  if (!/^[1-9]\d*$/.test(text) || !Number.isSafeInteger(number)) {
    throw new InvalidArgumentError('It must be an integer of at least 1.');
  }
  return number;
}

/** Parses an integer from 0. */
export function wholeNumber(text: string): number {
  const number = Number(text);
  if (!/^(?:0|[1-9]\d*)$/.test(text) || !Number.isSafeInteger(number)) {
    throw new InvalidArgumentError('It must be an integer of at least 0.');
  }
  return number;
}

/** Returns a parser of an integer from 1 to `max`. */
export function numberUpTo(max: number): (text: string) => number {
  return (text) => {
    const number = positiveInteger(text);
    if (number > max) throw new InvalidArgumentError(`It must be at most ${max}.`);
    return number;
  };
}

/** Parses an integer from 0 to `maxKeepHours`. */
export function keepHours(text: string): number {
  const hours = wholeNumber(text);
  if (hours > maxKeepHours) throw new InvalidArgumentError(`It must be at most ${maxKeepHours}.`);
  return hours;
}

/** Refuses an empty value, which an unset variable of a shell leaves. */
export function notEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}

/** Parses an id and adds it to the previous ones. */
export function collectIds(text: string, before: readonly number[] | undefined): readonly number[] {
  return [...(before ?? []), positiveInteger(text)];
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const TIMESTAMP = /^(\d{4})-(\d{2})-(\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Parses a date (midnight in UTC), a date and time with its offset, or a time before now (`90m`, `24h`, `7d`). */
export function timestamp(text: string): Date {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (count !== undefined) return new Date(Date.now() - Number(count) * (UNIT_MS[unit] ?? 0));

  const [, year, month, day] = TIMESTAMP.exec(text) ?? [];
  const time = Date.parse(text);
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  if (year !== undefined && Number(day) <= lastDay && !Number.isNaN(time)) return new Date(time);
  throw new InvalidArgumentError(
    'It must be a valid date or time, such as 2026-11-20 or 2026-11-20T18:00:00Z, or a time before now, such as 90m, 24h or 7d.',
  );
}
