import { Unavailable } from '@rollcall/core';
import type { Logger } from '../logger.js';
import type { Timers } from './timers.js';

/** Derives the state of the database from the polls of the outbox. */
export type DatabaseWatch = ReturnType<typeof createDatabaseWatch>;

/** If more time passes between two polls, the database may have been unreachable in between. */
const MAX_POLL_GAP_MS = 5_000;

export function createDatabaseWatch({
  log,
  reportBug,
  steadyAfterMs,
  timers,
}: {
  readonly log: Logger;
  readonly reportBug: (error: unknown) => void;
  readonly steadyAfterMs: number;
  readonly timers: Timers;
}) {
  /** Null when the last poll has failed. */
  let reachableSince: number | null = null;
  let reachedAt = Number.NEGATIVE_INFINITY;
  let problem: 'none' | 'away' | 'broken' = 'none';
  return {
    /** A poll has reached the database. */
    reached(): void {
      const now = timers.now();
      if (reachableSince === null || now - reachedAt > MAX_POLL_GAP_MS) reachableSince = now;
      reachedAt = now;
      if (problem === 'away') log.info({}, 'The database is back: deliveries go on');
      problem = 'none';
    },
    /** A poll has failed. One log line says when an outage starts, another when it ends. */
    failed(error: unknown): void {
      reachableSince = null;
      const current = error instanceof Unavailable ? 'away' : 'broken';
      if (problem === current) return;
      problem = current;
      if (error instanceof Unavailable)
        log.warn({ reason: error.message }, 'The database is away: deliveries wait');
      else reportBug(error);
    },
    /** Whether the database has been reachable for long enough, without a gap. */
    isSteady(): boolean {
      const now = timers.now();
      if (reachableSince === null || now - reachedAt > MAX_POLL_GAP_MS) return false;
      return now - reachableSince >= steadyAfterMs;
    },
  };
}
