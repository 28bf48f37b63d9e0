import type { Uses } from '../deps.js';
import type { ClaimedDelivery } from './ports/outbox.js';
import type { Webhook } from './ports/webhooks.js';

/**
 * For how long a claim counts as held without asking again. With the 16 s of an attempt, less than the minute after
 * which other processes may take a delivery over.
 */
const heldForMs = 30_000;

/** Whether so little time has passed that nothing can have taken the claim over. */
export function isSurelyHeld({ heldAt, now }: { readonly heldAt: Date; readonly now: Date }): boolean {
  const passed = now.getTime() - heldAt.getTime();
  // A clock that was set back does not show how much time has passed.
  return passed >= 0 && passed <= heldForMs;
}

/** Calls the storage. It decides whether a call that fails with `Unavailable` is repeated. */
export type AskStorage = <Result>(call: () => Promise<Result>) => Promise<Result>;

/**
 * Reads the webhook for an attempt that begins at once. Null: the claim no longer holds the delivery, so nothing may be
 * sent. The process was frozen or could not reach its database for so long that another one has taken the delivery over.
 */
export async function prepareAttempt(
  deps: Uses<'clock.now' | 'outbox.renew' | 'webhooks.of'>,
  { delivery, claimedAt }: { readonly delivery: ClaimedDelivery; readonly claimedAt: Date },
  ask: AskStorage,
): Promise<{ readonly webhook: Webhook | null } | null> {
  const { deliveryId, claim, organizationId } = delivery;
  for (let heldAt = claimedAt; ; ) {
    // The webhook is read now, because an attempt uses the current URL and secret, not those at the time of the event.
    const webhook = await ask(() => deps.webhooks.of(organizationId));
    const now = deps.clock.now();
    if (isSurelyHeld({ heldAt, now })) return { webhook };
    if (!(await ask(() => deps.outbox.renew({ deliveryId, claim, at: now })))) return null;
    heldAt = now;
  }
}
