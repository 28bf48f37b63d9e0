import type { Uses } from '../deps.js';
import { maxClaims } from './deliver-webhooks.js';

/** The request of `recoverDeliveries`. */
export interface RecoverDeliveries {
  /** Claims older than this are stale; null: all claims are. */
  readonly olderThanMs: number | null;
}

/** Makes deliveries that a crash interrupted pending again, with the same event id and body. */
export async function recoverDeliveries(
  { outbox, clock }: Uses<'clock.now' | 'outbox.recoverStale'>,
  { olderThanMs }: RecoverDeliveries,
): Promise<{ readonly again: number; readonly failed: number }> {
  return outbox.recoverStale({ olderThanMs, maxClaims, at: clock.now() });
}
