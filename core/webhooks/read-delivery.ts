import type { Uses } from '../deps.js';
import { mayBeId } from '../values/ids.js';
import { deliveryNotFound } from './delivery-not-found.js';
import type { Delivery, FoundDelivery, RecordedAttempt } from './ports/deliveries.js';
import type { WebhookRequest } from './ports/webhook-sender.js';
import type { Webhook } from './ports/webhooks.js';
import type { Redeliver } from './redeliver.js';
import { type Signing, signedRequest } from './webhook-request.js';

/** The request of `readDelivery`. */
export interface ReadDelivery extends Pick<Redeliver, 'organization'> {
  /** The `id` of a `Delivery`. */
  readonly deliveryId: number;
  /** Whether `attempts` has the last attempt alone; false by default. */
  readonly onlyLastAttempt?: boolean | undefined;
}

/** A delivery for people who look for the cause of a failure. */
export interface DeliveryView extends Omit<FoundDelivery, 'attempts'> {
  /** The newest 20, or the last one alone, oldest first. The first attempt of the delivery has the number 1. */
  readonly attempts: readonly (RecordedAttempt & { readonly number: number })[];
  /**
   * The request as it would be sent now, signed with the current secret: an earlier attempt may have used another URL
   * and another signature. Null if there is no URL or the secret cannot be decrypted.
   */
  readonly request: WebhookRequest | null;
}

/**
 * Reads one delivery with its newest 20 attempts.
 *
 * @throws `Refusal`: `delivery-not-found`, also for a delivery of another organization.
 */
export async function readDelivery(
  deps: Uses<'deliveries.find' | 'webhooks.of' | typeof requestNow>,
  { organization, deliveryId, onlyLastAttempt }: ReadDelivery,
): Promise<DeliveryView> {
  // Only `null` itself means any organization, not an organization without an id.
  const isPossible =
    (organization === null || mayBeId('organization.id', organization.id)) &&
    mayBeId('deliveryId', deliveryId);
  const organizationId = organization === null ? null : organization.id;
  const delivery = isPossible
    ? await deps.deliveries.find({ organizationId, deliveryId, onlyLastAttempt })
    : null;
  if (delivery === null) throw deliveryNotFound(deliveryId);

  const webhook = await deps.webhooks.of(delivery.organizationId);
  const earlier = delivery.attemptCount - delivery.attempts.length;
  return {
    ...delivery,
    attempts: delivery.attempts.map((attempt, index) => ({ number: earlier + index + 1, ...attempt })),
    request: requestNow(deps, { delivery, webhook }),
  };
}

function requestNow(
  deps: Signing & Uses<'clock.now'>,
  { delivery, webhook }: { readonly delivery: Delivery; readonly webhook: Webhook | null },
): WebhookRequest | null {
  if (webhook === null || webhook.url === null) return null;
  try {
    return signedRequest(deps, { delivery, webhook, url: webhook.url, at: deps.clock.now() });
  } catch {
    // The secret's key is missing, which must not prevent reading the delivery.
    return null;
  }
}
