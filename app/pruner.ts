import { type Clock, type ErrorTracker, Unavailable } from '@rollcall/core';
import { type Database, prune } from '#adapters/sql/index.js';
import type { Log } from '#adapters/system/log.js';

/** Deletes what nobody needs any more, again and again beside a running server. */
export interface Pruner {
  /** Ends between two batches what is under way, and begins nothing more. */
  stop(): Promise<void>;
}

export interface StartPruner {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly errorTracker: ErrorTracker;
  readonly deliveryRetentionDays: number;
  /** Milliseconds until the first time, and from one time to the next. */
  readonly first?: number;
  readonly every?: number;
}

const MINUTE = 60_000;

export function startPruner({
  database,
  clock,
  log,
  errorTracker,
  deliveryRetentionDays,
  first = MINUTE,
  every = 60 * MINUTE,
}: StartPruner): Pruner {
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();
  let timer = setTimeout(begin, first).unref();

  function begin(): void {
    running = pruneOnce().finally(() => {
      if (!stopping.signal.aborted) timer = setTimeout(begin, every).unref();
    });
  }

  async function pruneOnce(): Promise<void> {
    const { signal } = stopping;
    try {
      const pruned = await prune(database, { now: clock.now(), deliveryRetentionDays, signal });
      if (Object.values(pruned).some((count) => count > 0)) log.info(pruned, 'Pruned');
    } catch (error) {
      // The next time will do as well.
      if (error instanceof Unavailable)
        log.warn({ reason: error.message }, 'Not pruned: the database is away');
      else errorTracker.report(error, { severity: 'error', operation: 'prune', requestId: null });
    }
  }

  return {
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
