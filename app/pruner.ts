import { type Clock, type ErrorTracker, Unavailable } from '@rollcall/core';
import type { Logger } from '@rollcall/node';
import type { Prune, Pruned } from '@rollcall/sql/maintenance';
import type { Part } from './part.js';

export interface PrunerOptions {
  /** Deletes in batches. The signal stops it between two of them. */
  readonly prune: (request: Prune) => Promise<Pruned>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Logger;
  readonly errorTracker: ErrorTracker;
  readonly deliveryRetentionDays: number;
  readonly eventRetentionDays: number;
  readonly firstAfterMs?: number;
  readonly intervalMs?: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Deletes expired data regularly while the service runs. */
export function createPruner({
  firstAfterMs = MINUTE_MS,
  intervalMs = HOUR_MS,
  ...options
}: PrunerOptions): Part {
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  function run(): void {
    running = pruneOnce(options, stopping.signal).finally(() => {
      if (!stopping.signal.aborted) timer = setTimeout(run, intervalMs).unref();
    });
  }

  return {
    async start() {
      timer = setTimeout(run, firstAfterMs).unref();
    },
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}

/** Never throws: after a failure, the next run tries again. */
async function pruneOnce(
  { prune, clock, log, errorTracker, deliveryRetentionDays, eventRetentionDays }: PrunerOptions,
  signal: AbortSignal,
): Promise<void> {
  try {
    const pruned = await prune({ now: clock.now(), deliveryRetentionDays, eventRetentionDays, signal });
    if (Object.values(pruned).some((count) => count > 0)) log.info(pruned, 'Pruned');
  } catch (error) {
    if (error instanceof Unavailable) log.warn({ reason: error.message }, 'Not pruned: the database is away');
    else errorTracker.report(error, { severity: 'error', operation: 'prune', requestId: null });
  }
}
