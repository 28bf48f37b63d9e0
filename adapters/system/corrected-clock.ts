import { type Clock, Unavailable } from '@rollcall/core';
import { systemClock } from './clock.js';

/** The machine's time until it has been measured, and then the reference's, however the machine's clock is set. */
export interface CorrectedClock extends Clock {
  /** Asks the reference some times; one that is away leaves everything as it was. */
  measure(times?: number): Promise<void>;
  /** Milliseconds by which the machine's clock is ahead; null: not measured, or no reference. */
  aheadMs(): number | null;
}

export interface CorrectedClockOptions {
  /** The reference's time. Throws `Unavailable` when it is away. */
  readonly reference: () => Promise<Date>;
  /** The machine's time, in milliseconds since 1970. */
  readonly machineNow?: () => number;
  /** Milliseconds of a clock that cannot be set. */
  readonly monotonicNow?: () => number;
}

/** Milliseconds: an answer that took longer says little. */
const MAX_ANSWER_MS = 1000;
/** Milliseconds by which a correction does not set the time back: it waits for as long. */
const MAX_WAIT_MS = 1000;

/**
 * A clock that several instances share. It adds the time since the last measurement to the time that the reference
 * had then, so that no request waits for the reference.
 */
export function correctedClock({
  reference,
  machineNow = Date.now,
  monotonicNow = () => performance.now(),
}: CorrectedClockOptions): CorrectedClock {
  /** The reference's time at 0 of the monotonic clock; null: not measured. */
  let origin: number | null = null;
  let last = Number.NEGATIVE_INFINITY;

  async function sample(): Promise<{ readonly origin: number; readonly error: number }> {
    const begun = monotonicNow();
    const time = await reference();
    const took = monotonicNow() - begun;
    return { origin: time.getTime() - begun - took / 2, error: took / 2 };
  }

  function now(): number {
    const time = origin === null ? machineNow() : origin + monotonicNow();
    const isSmallStep = last > time && last - time <= MAX_WAIT_MS;
    last = isSmallStep ? last : time;
    return last;
  }

  return {
    ...systemClock,
    now: () => new Date(Math.floor(now())),
    async measure(times = 1) {
      try {
        let best = await sample();
        for (let count = 1; count < times; count += 1) {
          const other = await sample();
          if (other.error < best.error) best = other;
        }
        if (origin !== null && 2 * best.error > MAX_ANSWER_MS) return;
        // The difference is within the error of this measurement: the time stays as it is.
        if (origin === null || Math.abs(best.origin - origin) > best.error + 1) origin = best.origin;
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
      }
    },
    aheadMs: () => (origin === null ? null : machineNow() - (origin + monotonicNow())),
  };
}

/** Of one process alone: there is nothing to compare with. */
export const uncorrectedClock: CorrectedClock = {
  ...systemClock,
  measure: async () => {},
  aheadMs: () => null,
};
