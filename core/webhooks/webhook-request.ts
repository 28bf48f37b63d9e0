import type { Uses } from '../deps.js';
import type { Secret } from '../values/secret.js';
import type { Delivery } from './ports/deliveries.js';
import type { ClaimedDelivery } from './ports/outbox.js';
import type { WebhookRequest } from './ports/webhook-sender.js';
import type { Webhook } from './ports/webhooks.js';
import { previousSecretAt } from './webhook.js';

/** What signing a request needs. */
export type Signing = Uses<
  'secrets.decrypt' | 'secrets.sign' | 'secrets.signBase64' | 'settings.serviceName'
>;

/**
 * Signs and returns the request of an attempt that starts `at`. Throws if a secret cannot be decrypted.
 *
 * While the previous secret is in use, `X-<name>-Signature` is made with it, because that header holds one signature
 * and receivers get the new secret later. `webhook-signature` holds one signature for each secret.
 */
export function signedRequest(
  { secrets, settings }: Signing,
  {
    delivery,
    webhook,
    url,
    at,
  }: {
    readonly delivery: Pick<Delivery, 'organizationId' | 'eventId' | 'eventName' | 'body' | 'isTest'>;
    readonly webhook: Pick<Webhook, 'encryptedSecret' | 'previousSecret'>;
    readonly url: string;
    readonly at: Date;
  },
): WebhookRequest {
  const { eventId, body, organizationId } = delivery;
  const decrypt = (encrypted: string): Secret => secrets.decrypt({ encrypted, organizationId });
  const current = decrypt(webhook.encryptedSecret);
  const previous = previousSecretAt(webhook, at);
  const old = previous === null ? null : decrypt(previous.encrypted);
  const timestamp = String(Math.floor(at.getTime() / 1000));
  return webhookRequest({
    delivery,
    url,
    signature: secrets.sign({ body, secret: old ?? current }),
    timestamp,
    standardSignatures: [current, ...(old === null ? [] : [old])].map((secret) =>
      secrets.signBase64({ text: `${eventId}.${timestamp}.${body}`, secret }),
    ),
    serviceName: settings.serviceName,
  });
}

/** The request that delivers an event. A test has one more header, `X-<name>-Test: true`. */
export function webhookRequest({
  delivery,
  url,
  signature,
  timestamp,
  standardSignatures,
  serviceName,
}: {
  readonly delivery: Pick<ClaimedDelivery, 'eventId' | 'eventName' | 'body'> &
    Partial<Pick<ClaimedDelivery, 'isTest'>>;
  readonly url: string;
  /** The hexadecimal HMAC-SHA256 of `body` under the signing secret. */
  readonly signature: string;
  /** The seconds since 1970, as text. */
  readonly timestamp: string;
  /** The signatures of Standard Webhooks in base64, that of the current secret first. */
  readonly standardSignatures: readonly string[];
  readonly serviceName: string;
}): WebhookRequest {
  const name = serviceName.replaceAll(' ', '-');
  return {
    url,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': `${serviceName} Webhook`,
      [`X-${name}-Signature`]: `sha256=${signature}`,
      [`X-${name}-Event`]: delivery.eventName,
      [`X-${name}-Event-Id`]: delivery.eventId,
      ...(delivery.isTest === true ? { [`X-${name}-Test`]: 'true' } : {}),
      'webhook-id': delivery.eventId,
      'webhook-timestamp': timestamp,
      'webhook-signature': standardSignatures.map((text) => `v1,${text}`).join(' '),
    },
    body: delivery.body,
  };
}
