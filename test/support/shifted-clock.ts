/** Simulates a wrong system clock: preloaded with `--import`, it shifts `Date` by `CLOCK_SHIFT_MS`. */
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

/** The environment variables that shift the clock of a program. */
export function shiftedBy(milliseconds: number): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import=${import.meta.url}`, CLOCK_SHIFT_MS: String(milliseconds) };
}
