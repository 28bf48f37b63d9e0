import { context, ROOT_CONTEXT } from '@opentelemetry/api';
import type { Core } from '@rollcall/core';
import type { DatabaseWatch } from './database-outages.js';
import type { RunningDeliveries } from './running-deliveries.js';
import type { Timers } from './timers.js';

export const POLL_INTERVAL_MS = 1000;
const MAX_RUNNING = 64;

/** One search for deliveries to send. */
export interface ObservedClaim {
  readonly seconds: number;
  /** The number of deliveries that were claimed. */
  readonly deliveries: number;
}

/** Takes deliveries from the outbox, when woken and every second. */
export function createOutboxPoll({
  running,
  database,
  observe,
  timers,
  intervalMs,
}: {
  readonly running: RunningDeliveries;
  readonly database: DatabaseWatch;
  readonly observe?: ((claim: ObservedClaim) => void) | undefined;
  readonly timers: Timers;
  readonly intervalMs: number;
}) {
  let deliverWebhooks: Core['deliverWebhooks'] | null = null;
  let stopTimer = (): void => {};
  let polling: Promise<void> | null = null;
  let isWoken = false;

  function wake(): void {
    isWoken = true;
    if (polling !== null || deliverWebhooks === null) return;
    // Drop the trace of the request that woke us: other deliveries do not belong to it.
    polling = context.with(ROOT_CONTEXT, poll).finally(() => {
      polling = null;
    });
  }

  async function poll(): Promise<void> {
    while (isWoken && deliverWebhooks !== null && running.count() < MAX_RUNNING) {
      isWoken = false;
      try {
        const start = timers.now();
        const started = await deliverWebhooks({ limit: MAX_RUNNING - running.count() });
        observe?.({ seconds: (timers.now() - start) / 1000, deliveries: started.length });
        for (const delivery of started) running.follow(delivery);
        if (started.length > 0) isWoken = true;
        database.reached();
      } catch (error) {
        database.failed(error);
        return;
      }
    }
  }

  return {
    wake,
    start(deliver: Core['deliverWebhooks']): void {
      deliverWebhooks = deliver;
      stopTimer = timers.every(intervalMs, wake);
      wake();
    },
    /** Resolves when the current poll has ended. */
    async stop(): Promise<void> {
      deliverWebhooks = null;
      stopTimer();
      await polling;
    },
  };
}
