import type { ErrorTracker } from '@rollcall/core';
import type { CorrectedClock } from '#adapters/system/corrected-clock.js';
import type { Log } from '#adapters/system/log.js';

/** Measures the clock again and again, and warns of one that is wrong. */
export interface ClockWatch {
  stop(): void;
}

const EVERY_MS = 5000;
/** Milliseconds by which a clock may be off. */
const MAX_OFF_MS = 3000;
const REPEATED_AFTER_MS = 60 * 60_000;

/** Ends when it was measured once, or could not be. */
export async function startClockWatch({
  clock,
  log,
  errorTracker,
  everyMs = EVERY_MS,
}: {
  readonly clock: CorrectedClock;
  readonly log: Log;
  readonly errorTracker: ErrorTracker;
  readonly everyMs?: number;
}): Promise<ClockWatch> {
  let warned = { aheadMs: 0, at: Number.NEGATIVE_INFINITY };

  function tell(): void {
    const aheadMs = clock.aheadMs();
    if (aheadMs === null) return;
    const seconds = Math.round(aheadMs / 100) / 10;
    if (Math.abs(aheadMs) <= MAX_OFF_MS) {
      if (warned.aheadMs !== 0)
        log.info({ clockAheadSeconds: seconds }, 'The clock of this machine agrees with the database again');
      warned = { ...warned, aheadMs: 0 };
      return;
    }
    const isNew = Math.abs(aheadMs - warned.aheadMs) > MAX_OFF_MS;
    if (!isNew && performance.now() - warned.at < REPEATED_AFTER_MS) return;
    warned = { aheadMs, at: performance.now() };
    log.warn(
      { clockAheadSeconds: seconds },
      'The clock of this machine differs from that of the database, whose time is used. Set the clock.',
    );
  }

  let measuring = false;
  async function measure(times: number): Promise<void> {
    if (measuring) return;
    measuring = true;
    try {
      await clock.measure(times);
      tell();
    } catch (error) {
      errorTracker.report(error, { severity: 'error', operation: 'measure the clock', requestId: null });
    } finally {
      measuring = false;
    }
  }

  await measure(3);
  const timer = setInterval(() => void measure(1), everyMs).unref();
  return { stop: () => clearInterval(timer) };
}
