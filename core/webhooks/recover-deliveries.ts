import type { Uses } from '../deps.js';
import { maxClaims } from './interrupted-attempt.js';

/** The request of `recoverDeliveries`. */
export interface RecoverDeliveries {
  /**
   * Claims older than this are stale; null: all claims are. At least 60,000 if another process may be sending: an attempt
   * can begin 30 s after its claim, and takes up to 16 s.
   */
  readonly olderThanMs: number | null;
}

/** Makes deliveries that a crash interrupted pending again, with the same event id and body. */
export async function recoverDeliveries(
  { outbox, clock }: Uses<'clock.now' | 'outbox.recoverStale'>,
  { olderThanMs }: RecoverDeliveries,
): Promise<{ readonly again: number; readonly failed: number }> {
  return outbox.recoverStale({ olderThanMs, maxClaims, at: clock.now() });
}
