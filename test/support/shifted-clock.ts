/**
 * A machine whose clock is wrong: loaded before a program (`--import`), it shifts what `Date` tells by
 * `CLOCK_SHIFT_MS`. The product knows nothing of it.
 */
const shift = Number(process.env.CLOCK_SHIFT_MS ?? 0);
const RealDate = Date;

class ShiftedDate extends RealDate {
  constructor(...given: readonly unknown[]) {
    if (given.length === 0) super(RealDate.now() + shift);
    else super(...(given as [number]));
  }

  static override now(): number {
    return RealDate.now() + shift;
  }
}

if (shift !== 0) globalThis.Date = ShiftedDate as DateConstructor;

/** What a program's environment has to hold for it. */
export function shiftedBy(milliseconds: number): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import=${import.meta.url}`, CLOCK_SHIFT_MS: String(milliseconds) };
}
