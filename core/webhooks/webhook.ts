import type { Secret } from '../values/secret.js';
import type { EventName, Webhook } from './ports.js';

/** Every event that a webhook can subscribe to. */
export const availableEvents: readonly EventName[] = ['user.registered'];

/** Shown instead of a signing secret. It contains no part of the secret. */
export const secretMask = 'whsec_********';

/** The configuration without its encrypted secret. */
export interface WebhookView extends Omit<Webhook, 'encryptedSecret' | 'organizationId'> {
  /** The signing secret, only in the result of the request that created or rotated it; otherwise null. */
  readonly secret: Secret | null;
}

/** Whether the webhook is enabled and subscribes to the event. */
export function isSubscribed(webhook: Webhook | null, event: EventName): webhook is Webhook {
  return webhook?.enabled === true && webhook.events.includes(event);
}

export function webhookView(webhook: Webhook, secret: Secret | null): WebhookView {
  const { id, url, enabled, events, createdAt, updatedAt } = webhook;
  return { id, url, enabled, events, secret, createdAt, updatedAt };
}
