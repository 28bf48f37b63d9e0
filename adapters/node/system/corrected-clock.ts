import { type Clock, Unavailable } from '@rollcall/core';
import { systemClock } from './clock.js';

/**
 * A clock that shows the machine's time until it is first measured, and then the reference's time, however the
 * machine's clock is set.
 */
export interface CorrectedClock extends Clock {
  /** Compares with the reference `times` times. Changes nothing if the reference is unavailable. */
  measure(times?: number): Promise<void>;
  /** The number of milliseconds by which the machine's clock is ahead; null: not measured, or no reference. */
  aheadMs(): number | null;
}

export interface CorrectedClockOptions {
  /** Reads the reference's time. Throws `Unavailable` if the reference cannot be reached. */
  readonly reference: () => Promise<Date>;
  /** The machine's time, in milliseconds since 1970. */
  readonly machineNow?: () => number;
  /** The time of a clock that cannot be set, in milliseconds. */
  readonly monotonicNow?: () => number;
}

/** A measurement that took longer than this is too inexact, except for the first one. */
const MAX_ANSWER_MS = 1000;
/** A correction backwards by at most this much does not set the time back: the time stands still instead. */
const MAX_WAIT_MS = 1000;

/**
 * Creates a clock that agrees with those of other instances. It adds the time since the last measurement to the
 * reference's time at that measurement, so that no request waits for the reference.
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
    const start = monotonicNow();
    const time = await reference();
    const duration = monotonicNow() - start;
    return { origin: time.getTime() - start - duration / 2, error: duration / 2 };
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
        // A difference within the error of the measurement does not change the time.
        if (origin === null || Math.abs(best.origin - origin) > best.error + 1) origin = best.origin;
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
      }
    },
    aheadMs: () => (origin === null ? null : machineNow() - (origin + monotonicNow())),
  };
}

/** The clock of a single process, without a reference. */
export const uncorrectedClock: CorrectedClock = {
  ...systemClock,
  measure: async () => {},
  aheadMs: () => null,
};
