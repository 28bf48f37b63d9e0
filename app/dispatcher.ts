import type { Core, DeliveryReport, Dispatcher, ErrorTracker } from '@rollcall/core';
import { Unavailable } from '@rollcall/core';
import type { Log } from '#adapters/system/log.js';

/** A timer around one use-case: it looks into the outbox when woken, and every second. */
export interface RunningDispatcher extends Dispatcher {
  /**
   * Begins to deliver; before, waking does nothing. `recover` takes up what other processes left behind, and is
   * called again and again, but never while an outcome that is known may be unwritten.
   */
  start(deliverWebhooks: Core['deliverWebhooks'], recover?: () => Promise<void>): void;
  /** Takes up nothing more, and ends when what is under way has its outcome written. */
  stop(): Promise<void>;
}

const POLL = 1000;
const AT_ONCE = 64;
const SWEEP = 10_000;
/** Sweeps take a twentieth of the time at most: beside an old snapshot each passes all that was delivered since. */
const SWEEP_SHARE = 20;
/** Milliseconds that the database has been there without a break before claims are swept: known outcomes come first. */
const STEADY = 10_000;
/** A sending ends within 16 s: what is under way for longer waits for its outcome to be written. */
const LONGEST_SENDING = 20_000;
/** Milliseconds between two looks after which nobody knows whether the database was there in between. */
const LONGEST_GAP = 5_000;

export function createDispatcher({
  log,
  errorTracker,
  observe,
  sweepEvery = SWEEP,
  steadyAfter = STEADY,
}: {
  readonly log: Log;
  readonly errorTracker: ErrorTracker;
  /** Told of every delivery that has ended. */
  readonly observe?: ((delivery: DeliveryReport) => void) | undefined;
  /** Milliseconds. */
  readonly sweepEvery?: number;
  readonly steadyAfter?: number;
}): RunningDispatcher {
  /** With the moment at which each began. */
  const underWay = new Map<Promise<void>, number>();
  let sweeper: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> | null = null;
  let nextSweepAt = Number.NEGATIVE_INFINITY;
  /** Since when every look into the outbox has found the database; null: the last one has not. */
  let reachableSince: number | null = null;
  let reachedAt = Number.NEGATIVE_INFINITY;
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
        logNotice(log, report);
        observe?.(report);
        if (report.error !== null) reportBug(report.error, report.eventId);
      })
      .catch((error: unknown) => reportBug(error))
      .finally(() => {
        underWay.delete(followed);
        // Its organization may have more in the queue.
        wake();
      });
    underWay.set(followed, performance.now());
  }

  function reportBug(error: unknown, eventId?: string): void {
    const event = eventId === undefined ? {} : { eventId };
    errorTracker.report(error, { severity: 'error', operation: 'deliver', requestId: null, ...event });
  }

  function sweep(recover: () => Promise<void>): void {
    const begun = performance.now();
    if (sweeping !== null || begun < nextSweepAt || !maySweep()) return;
    sweeping = recover()
      .then(() => {
        nextSweepAt = begun + SWEEP_SHARE * (performance.now() - begun);
        wake();
      }, failed)
      .finally(() => {
        sweeping = null;
      });
  }

  function maySweep(): boolean {
    const now = performance.now();
    if (reachableSince === null || now - reachableSince < steadyAfter) return false;
    if (now - reachedAt > LONGEST_GAP) return false;
    return [...underWay.values()].every((began) => now - began < LONGEST_SENDING);
  }

  function recovered(): void {
    const now = performance.now();
    if (reachableSince === null || now - reachedAt > LONGEST_GAP) reachableSince = now;
    reachedAt = now;
    if (trouble === 'away') log.info('The database is back: deliveries go on');
    trouble = 'none';
  }

  /** The poll tries again every second: one line tells that it began, another that it ended. */
  function failed(error: unknown): void {
    reachableSince = null;
    const now = error instanceof Unavailable ? 'away' : 'broken';
    if (trouble === now) return;
    trouble = now;
    if (now === 'away') log.warn({ reason: messageOf(error) }, 'The database is away: deliveries wait');
    else reportBug(error);
  }

  return {
    wake,
    start(deliver, recover) {
      deliverWebhooks = deliver;
      timer = setInterval(wake, POLL);
      if (recover !== undefined) sweeper = setInterval(() => sweep(recover), sweepEvery);
      wake();
    },
    async stop() {
      deliverWebhooks = null;
      clearInterval(timer);
      clearInterval(sweeper);
      await Promise.all([looking, sweeping]);
      await Promise.all(underWay.keys());
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

/** A webhook is never switched off for failing: somebody has to be told. */
function logNotice(log: Log, { organizationId, notice }: DeliveryReport): void {
  if (notice === null) return;
  const { isLast, ...facts } = notice;
  const line = { organizationId, ...facts };
  if (isLast) log.warn(line, 'The webhook keeps failing: no more notices until a delivery succeeds');
  else log.warn(line, 'The webhook keeps failing');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
