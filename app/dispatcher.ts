import type { Core, DeliveryReport, Dispatcher, ErrorTracker } from '@rollcall/core';
import { Unavailable } from '@rollcall/core';
import type { Log } from '#adapters/system/log.js';

/** A timer around one use-case: it looks into the outbox when woken, and every second. */
export interface RunningDispatcher extends Dispatcher {
  /** Begins to deliver; before, waking does nothing. */
  start(deliverWebhooks: Core['deliverWebhooks']): void;
  /** Takes up nothing more, and ends when what is under way has its outcome written. */
  stop(): Promise<void>;
}

const POLL = 1000;
const AT_ONCE = 64;

export function createDispatcher({
  log,
  errorTracker,
}: {
  readonly log: Log;
  readonly errorTracker: ErrorTracker;
}): RunningDispatcher {
  const underWay = new Set<Promise<void>>();
  let deliverWebhooks: Core['deliverWebhooks'] | null = null;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | null = null;
  let lookAgain = false;
  let trouble: 'none' | 'away' | 'broken' = 'none';

  function wake(): void {
    lookAgain = true;
    if (looking !== null || deliverWebhooks === null) return;
    looking = look().finally(() => {
      looking = null;
    });
  }

  async function look(): Promise<void> {
    while (lookAgain && deliverWebhooks !== null && underWay.size < AT_ONCE) {
      lookAgain = false;
      try {
        const started = await deliverWebhooks({ limit: AT_ONCE - underWay.size });
        for (const delivery of started) follow(delivery);
        if (started.length > 0) lookAgain = true;
        recovered();
      } catch (error) {
        failed(error);
        return;
      }
    }
  }

  function follow(delivery: Promise<DeliveryReport>): void {
    const followed = delivery
      .then((report) => {
        logDelivery(log, report);
        if (report.error !== null) reportBug(report.error);
      })
      .catch(reportBug)
      .finally(() => {
        underWay.delete(followed);
        // Its organization may have more in the queue.
        wake();
      });
    underWay.add(followed);
  }

  function reportBug(error: unknown): void {
    errorTracker.report(error, { severity: 'error', operation: 'deliver', requestId: null });
  }

  function recovered(): void {
    if (trouble === 'away') log.info('The database is back: deliveries go on');
    trouble = 'none';
  }

  /** The poll tries again every second: one line tells that it began, another that it ended. */
  function failed(error: unknown): void {
    const now = error instanceof Unavailable ? 'away' : 'broken';
    if (trouble === now) return;
    trouble = now;
    if (now === 'away') log.warn({ reason: messageOf(error) }, 'The database is away: deliveries wait');
    else reportBug(error);
  }

  return {
    wake,
    start(deliver) {
      deliverWebhooks = deliver;
      timer = setInterval(wake, POLL);
      wake();
    },
    async stop() {
      deliverWebhooks = null;
      clearInterval(timer);
      await looking;
      await Promise.all(underWay);
    },
  };
}

function logDelivery(
  log: Log,
  { deliveryId, eventId, organizationId, state, attempt }: DeliveryReport,
): void {
  const facts = { eventId, deliveryId, organizationId };
  if (attempt === null) {
    log.info(facts, 'Delivery skipped: the webhook is off');
    return;
  }
  const { phase, status, duration, reason } = attempt;
  const line = { ...facts, phase, status, duration, reason };
  if (state === 'delivered') log.info(line, 'Delivered');
  else log.warn(line, 'Delivery failed');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
