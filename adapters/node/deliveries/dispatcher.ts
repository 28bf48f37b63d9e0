import type { Core, DeliveryReport, Dispatcher, ErrorTracker } from '@rollcall/core';
import type { Logger } from '../logger.js';
import { createDatabaseWatch } from './database-outages.js';
import { createOutboxPoll, type ObservedClaim, POLL_INTERVAL_MS } from './outbox-poll.js';
import { createRecoveryTimer, RECOVERY_INTERVAL_MS } from './recovery-timer.js';
import { createRunningDeliveries } from './running-deliveries.js';
import { processTimers, type Timers } from './timers.js';

/** Sends the deliveries in the outbox, when woken and every second. */
export interface RunningDispatcher extends Dispatcher {
  /**
   * Starts to deliver. Before that, `wake` does nothing. `recover` recovers deliveries of other processes. It is called
   * regularly, but never while an outcome of this process may still have to be written.
   */
  start(deliverWebhooks: Core['deliverWebhooks'], recover?: () => Promise<void>): void;
  /** Claims no more deliveries. Resolves when the outcome of each delivery in progress is written. */
  stop(): Promise<void>;
}

/** The database must be reachable for this long before abandoned deliveries are recovered: known outcomes come first. */
const STEADY_AFTER_MS = 10_000;

export function createDispatcher({
  log,
  errorTracker,
  observe,
  observeClaim,
  recoveryIntervalMs = RECOVERY_INTERVAL_MS,
  steadyAfterMs = STEADY_AFTER_MS,
  pollIntervalMs = POLL_INTERVAL_MS,
  timers = processTimers,
}: {
  readonly log: Logger;
  readonly errorTracker: ErrorTracker;
  /** Called with every delivery that has ended. */
  readonly observe?: ((delivery: DeliveryReport) => void) | undefined;
  /** Called with every claim that the database has answered. */
  readonly observeClaim?: ((claim: ObservedClaim) => void) | undefined;
  readonly recoveryIntervalMs?: number;
  readonly steadyAfterMs?: number;
  readonly pollIntervalMs?: number;
  readonly timers?: Timers;
}): RunningDispatcher {
  const reportBug = (error: unknown, eventId?: string): void => {
    const event = eventId === undefined ? {} : { eventId };
    errorTracker.report(error, { severity: 'error', operation: 'deliver', requestId: null, ...event });
  };
  const database = createDatabaseWatch({ log, reportBug, steadyAfterMs, timers });
  // When a delivery ends, its organization may have more deliveries in the outbox.
  const running = createRunningDeliveries({ log, observe, reportBug, onEnd: () => poll.wake(), timers });
  const poll = createOutboxPoll({
    running,
    database,
    observe: observeClaim,
    timers,
    intervalMs: pollIntervalMs,
  });
  const recovery = createRecoveryTimer({
    intervalMs: recoveryIntervalMs,
    mayRecover: () => database.isSteady() && !running.hasOverdue(),
    onRecovered: () => poll.wake(),
    onError: (error) => database.failed(error),
    timers,
  });
  return {
    wake: () => poll.wake(),
    start(deliverWebhooks, recover) {
      if (recover !== undefined) recovery.start(recover);
      poll.start(deliverWebhooks);
    },
    async stop() {
      await Promise.all([poll.stop(), recovery.stop()]);
      await running.ended();
    },
  };
}
