import { Unavailable } from '@rollcall/core';
import type { Sql } from '../engine/database.js';
import { type FirstWaiting, firstWaiting } from './find-waiting.js';
import type { Waiting } from './waiting.js';

const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 60_000;
/** The pause is this many times longer than the scan, which therefore takes at most about a twentieth of the time. */
const PAUSE_SHARE = 20;

/**
 * Finds waiting events that this process does not know: events that other processes wrote, recovered or made pending
 * again, and events that were committed after a later one was claimed.
 */
export function createScan(read: Sql, waiting: Waiting) {
  let pieces: AsyncGenerator<readonly FirstWaiting[], void> | null = null;
  let spentMs = 0;
  let failures = 0;
  let dueAt = 0;

  function end(): void {
    pieces = null;
    const share = PAUSE_SHARE * 2 ** failures;
    dueAt = performance.now() + Math.min(Math.max(share * spentMs, MIN_PAUSE_MS), MAX_PAUSE_MS);
    spentMs = 0;
  }

  async function findPiece(): Promise<void> {
    pieces ??= firstWaiting(read);
    const startedAt = performance.now();
    try {
      const { value, done = false } = await pieces.next();
      for (const { organizationId, deliveryId } of value ?? []) waiting.add(organizationId, deliveryId);
      if (!done) return;
      failures = 0;
      pieces = null;
    } finally {
      spentMs += performance.now() - startedAt;
    }
  }

  return {
    isDue: () => pieces !== null || performance.now() >= dueAt,
    isRunning: () => pieces !== null,
    /**
     * Finds some organizations with waiting events. False when the database was unreachable or too slow. The scan then
     * starts again later.
     */
    async next(): Promise<boolean> {
      try {
        await findPiece();
        return true;
      } catch (error) {
        pieces = null;
        if (!(error instanceof Unavailable)) throw error;
        failures += 1;
        return false;
      } finally {
        if (pieces === null) end();
      }
    },
  };
}
