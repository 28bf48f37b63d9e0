import type { ErrorTracker } from '@rollcall/core';
import type { CorrectedClock, Logger } from '@rollcall/node';
import type { Part } from './part.js';

const INTERVAL_MS = 5000;
/** A smaller difference causes no warning. */
const MAX_DIFFERENCE_MS = 3000;
/** A warning about the same difference is repeated after this time. */
const WARNING_INTERVAL_MS = 60 * 60_000;

/** Measures the clock regularly, and warns when the machine's clock is wrong. `start` resolves after the first attempt. */
export function createClockWatch({
  clock,
  log,
  errorTracker,
  intervalMs = INTERVAL_MS,
}: {
  readonly clock: CorrectedClock;
  readonly log: Logger;
  readonly errorTracker: ErrorTracker;
  readonly intervalMs?: number;
}): Part {
  const warn = clockWarning(log);
  let isMeasuring = false;
  let timer: NodeJS.Timeout | undefined;

  async function measure(times: number): Promise<void> {
    if (isMeasuring) return;
    isMeasuring = true;
    try {
      await clock.measure(times);
      warn(clock.aheadMs());
    } catch (error) {
      errorTracker.report(error, { severity: 'error', operation: 'measure the clock', requestId: null });
    } finally {
      isMeasuring = false;
    }
  }

  return {
    async start() {
      await measure(3);
      timer = setInterval(() => void measure(1), intervalMs).unref();
    },
    async stop() {
      clearInterval(timer);
    },
  };
}

/** Warns once about each difference, and again after an hour. Null means that the difference is unknown. */
function clockWarning(log: Logger): (aheadMs: number | null) => void {
  let warned = { aheadMs: 0, at: Number.NEGATIVE_INFINITY };
  return (aheadMs) => {
    if (aheadMs === null) return;
    const clockAheadSeconds = Math.round(aheadMs / 100) / 10;
    if (Math.abs(aheadMs) <= MAX_DIFFERENCE_MS) {
      if (warned.aheadMs !== 0)
        log.info({ clockAheadSeconds }, 'The clock of this machine agrees with the database again');
      warned = { ...warned, aheadMs: 0 };
      return;
    }
    const isNew = Math.abs(aheadMs - warned.aheadMs) > MAX_DIFFERENCE_MS;
    if (!isNew && performance.now() - warned.at < WARNING_INTERVAL_MS) return;
    warned = { aheadMs, at: performance.now() };
    log.warn(
      { clockAheadSeconds },
      'The clock of this machine differs from that of the database, whose time is used. Set the clock.',
    );
  };
}
