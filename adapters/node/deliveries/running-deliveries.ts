import type { DeliveryReport, TakenOverDelivery } from '@rollcall/core';
import type { Logger } from '../logger.js';
import { logDelivery, logTakenOver } from './delivery-log.js';
import type { Timers } from './timers.js';

/** The deliveries of this process that have no outcome yet. */
export type RunningDeliveries = ReturnType<typeof createRunningDeliveries>;

/** A sending ends within 16 s. */
const MAX_SENDING_MS = 20_000;

export function createRunningDeliveries({
  log,
  observe,
  reportBug,
  onEnd,
  timers,
}: {
  readonly log: Logger;
  readonly observe: ((delivery: DeliveryReport) => void) | undefined;
  readonly reportBug: (error: unknown, eventId?: string) => void;
  readonly onEnd: () => void;
  readonly timers: Timers;
}) {
  /** The start time of each delivery, in milliseconds of `timers.now()`. */
  const running = new Map<Promise<void>, number>();
  return {
    count: () => running.size,
    /** Logs and reports the outcome when the delivery ends, or logs that another process has taken it over. */
    follow(delivery: Promise<DeliveryReport | TakenOverDelivery>): void {
      const followed = delivery
        .then((report) => {
          if (report.state === 'taken-over') {
            logTakenOver(log, report);
            return;
          }
          logDelivery(log, report);
          observe?.(report);
          if (report.error !== null) reportBug(report.error, report.eventId);
        })
        .catch((error: unknown) => reportBug(error))
        .finally(() => {
          running.delete(followed);
          onEnd();
        });
      running.set(followed, timers.now());
    },
    /** Whether a delivery has run for longer than any sending takes, so that its outcome is still to be written. */
    hasOverdue(): boolean {
      const now = timers.now();
      return [...running.values()].some((startedAt) => now - startedAt >= MAX_SENDING_MS);
    },
    /** Resolves when all of them have ended. */
    async ended(): Promise<void> {
      await Promise.all(running.keys());
    },
  };
}
