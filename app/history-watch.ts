import { type DeliveryReport, type ErrorTracker, Unavailable } from '@rollcall/core';
import type { Logger } from '@rollcall/node';
import type { History } from '@rollcall/sql/maintenance';
import type { Part } from './part.js';

/** What happened to the history of the database since the start. */
export interface HistoryCounts {
  readonly promotions: number;
  /** Events that this process has sent and that a promoted server does not have. */
  readonly lostEvents: number;
}

export interface HistoryWatch extends Part {
  /** Notes a delivery that has ended. */
  noteDelivery(delivery: Pick<DeliveryReport, 'eventId' | 'state'>): void;
  counts(): HistoryCounts;
}

const INTERVAL_MS = 5_000;
/** A delivery that was under way at the promotion has ended by then. */
const SETTLED_MS = 20_000;
/** The last events that are remembered: more than an asynchronous standby can be behind. Old ones may be deleted. */
const MAX_REMEMBERED = 5_000;
const MAX_REMEMBERED_MS = 60 * 60_000;
const MAX_NAMED = 20;

/**
 * Looks every few seconds whether a standby has become the primary. Then it logs where its history ends, and later which
 * events this process has sent although they are not part of it: an asynchronous standby may lack the last transactions.
 */
export function createHistoryWatch({
  history,
  log,
  errorTracker,
  intervalMs = INTERVAL_MS,
  settledMs = SETTLED_MS,
}: {
  /** Null: there is no standby. */
  readonly history: History | null;
  readonly log: Logger;
  readonly errorTracker: ErrorTracker;
  readonly intervalMs?: number;
  readonly settledMs?: number;
}): HistoryWatch {
  /** When each was sent. */
  const remembered = new Map<string, number>();
  let counts: HistoryCounts = { promotions: 0, lostEvents: 0 };
  let known: string | null = null;
  let looking: Promise<void> | null = null;
  const timers = new Set<NodeJS.Timeout>();

  async function look({ timeline, end }: History): Promise<void> {
    const now = await timeline();
    // A connection to the server before may last a little longer.
    if (now === null || (known !== null && now <= known)) return;
    if (known !== null) {
      const historyEnd = await end();
      counts = { ...counts, promotions: counts.promotions + 1 };
      log.warn(
        { timeline: now, before: known, ...historyEnd },
        'A standby has become the primary of the database',
      );
      lookLater();
    }
    known = now;
  }

  /** Erased events are missing as well. They are few, and named. */
  async function lookForLost({ missing }: History): Promise<void> {
    const earliest = performance.now() - MAX_REMEMBERED_MS;
    const recent = [...remembered].flatMap(([id, sentAt]) => (sentAt >= earliest ? [id] : []));
    const lost = await missing(recent);
    log.info(
      { compared: recent.length, lost: lost.length },
      'The events that were sent are compared with the new primary',
    );
    for (const id of lost) remembered.delete(id);
    if (lost.length === 0) return;
    counts = { ...counts, lostEvents: counts.lostEvents + lost.length };
    log.warn(
      { lostEvents: lost.length, eventIds: lost.slice(0, MAX_NAMED) },
      'Events were sent that the database has lost: tell the receivers. Use a synchronous standby.',
    );
  }

  function lookLater(): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      void attempt(lookForLost).then((isDone) => isDone || lookLater());
    }, settledMs).unref();
    timers.add(timer);
  }

  /** False: the database was not available. */
  async function attempt(work: (history: History) => Promise<void>): Promise<boolean> {
    try {
      if (history !== null) await work(history);
    } catch (error) {
      if (error instanceof Unavailable) return false;
      errorTracker.report(error, { severity: 'error', operation: 'watch the history', requestId: null });
    }
    return true;
  }

  return {
    async start() {
      if (history === null) return;
      await attempt(look);
      timers.add(
        setInterval(() => {
          looking ??= attempt(look).then(() => {
            looking = null;
          });
        }, intervalMs).unref(),
      );
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await looking;
    },
    noteDelivery({ eventId, state }) {
      if (history === null || state === 'skipped') return;
      remembered.delete(eventId);
      remembered.set(eventId, performance.now());
      const [oldest] = remembered.keys();
      if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
    },
    counts: () => counts,
  };
}
