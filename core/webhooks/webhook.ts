import type { Secret } from '../values/secret.js';
import type { EventName, Webhook } from './ports.js';

/** Every event that a webhook can subscribe to. */
export const availableEvents: readonly EventName[] = ['user.registered'];

/** Shown instead of a signing secret; it reveals nothing of it. */
export const secretMask = 'whsec_********';

/** A configuration as it is shown. */
export interface WebhookView extends Omit<Webhook, 'encryptedSecret' | 'organizationId'> {
  /** In the answer that created or rotated it; null everywhere else. */
  readonly secret: Secret | null;
}

/** Whether an event is queued for this configuration. */
export function isSubscribed(webhook: Webhook | null, event: EventName): webhook is Webhook {
  return webhook?.enabled === true && webhook.events.includes(event);
}

export function webhookView(webhook: Webhook, secret: Secret | null): WebhookView {
  const { id, url, enabled, events, createdAt, updatedAt } = webhook;
  return { id, url, enabled, events, secret, createdAt, updatedAt };
}
