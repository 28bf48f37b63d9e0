import type { Deps } from '../deps.js';
import { maxClaims } from './deliver-webhooks.js';

export interface RecoverDeliveries {
  /** Claims that are older belong to nobody any more; null: none does, whenever it was made. */
  readonly olderThanMs: number | null;
}

/** Takes up the deliveries that a crash cut off: same event id, same bytes (decision 20). */
export async function recoverDeliveries(
  { outbox, clock }: Pick<Deps, 'outbox' | 'clock'>,
  { olderThanMs }: RecoverDeliveries,
): Promise<{ readonly again: number; readonly failed: number }> {
  return outbox.recoverStale({ olderThanMs, maxClaims, at: clock.now() });
}
