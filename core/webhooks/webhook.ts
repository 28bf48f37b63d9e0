import type { Uses } from '../deps.js';
import type { Secret } from '../values/secret.js';
import type { EventName } from './events.js';
import type { PreviousSecret, Webhook } from './ports/webhooks.js';

/** Shown instead of a signing secret. It contains no part of the secret. */
export const secretMask = 'whsec_********';

/** The configuration without its encrypted secret. */
export interface WebhookView extends Omit<Webhook, 'encryptedSecret' | 'previousSecret' | 'organizationId'> {
  /** The signing secret, only in the result of the request that created or rotated it; otherwise null. */
  readonly secret: Secret | null;
  /**
   * Until then, `X-<name>-Signature` is made with the secret that the last rotation replaced. Null: no rotation is under
   * way.
   */
  readonly rotationEndsAt: Date | null;
  /** Why nothing can be sent to `url`, in words for people. Null: no reason is known before a delivery. */
  readonly urlRefusal: string | null;
}

/** The previous secret, if it is still used at this time; otherwise null. */
export function previousSecretAt(
  { previousSecret }: Pick<Webhook, 'previousSecret'>,
  at: Date,
): PreviousSecret | null {
  return previousSecret !== null && previousSecret.until > at ? previousSecret : null;
}

/** Whether the webhook is enabled and subscribes to the event. */
export function isSubscribed(webhook: Webhook | null, event: EventName): webhook is Webhook {
  return webhook?.enabled === true && webhook.events.includes(event);
}

export function webhookView(
  { webhookSender }: Uses<'webhookSender.refusalOf'>,
  { webhook, secret, at }: { readonly webhook: Webhook; readonly secret: Secret | null; readonly at: Date },
): WebhookView {
  const { id, url, enabled, events, createdAt, updatedAt } = webhook;
  const rotationEndsAt = previousSecretAt(webhook, at)?.until ?? null;
  const urlRefusal = url === null ? null : webhookSender.refusalOf(url);
  return { id, url, enabled, events, secret, rotationEndsAt, urlRefusal, createdAt, updatedAt };
}

/** The maximum size of a page of events. */
export const maxReadEvents = 1000;
