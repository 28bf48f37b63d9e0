import type { Uses } from '../deps.js';
import type { ClaimedDelivery, Delivery, Webhook, WebhookRequest } from './ports.js';

/** Signs and returns the request that sends the delivery. Throws if the secret cannot be decrypted. */
export function signedRequest(
  { secrets, settings }: Uses<'secrets.decrypt' | 'secrets.sign' | 'settings.serviceName'>,
  {
    delivery,
    webhook,
    url,
  }: {
    readonly delivery: Pick<Delivery, 'organizationId' | 'eventId' | 'eventName' | 'body' | 'isTest'>;
    readonly webhook: Pick<Webhook, 'encryptedSecret'>;
    readonly url: string;
  },
): WebhookRequest {
  const secret = secrets.decrypt({
    encrypted: webhook.encryptedSecret,
    organizationId: delivery.organizationId,
  });
  const signature = secrets.sign({ body: delivery.body, secret });
  return webhookRequest({ delivery, url, signature, serviceName: settings.serviceName });
}

/**
 * The request that delivers an event. `signature` is the hexadecimal HMAC-SHA256 of `body` under the signing secret.
 * A test has one more header, `X-<name>-Test: true`.
 */
export function webhookRequest({
  delivery,
  url,
  signature,
  serviceName,
}: {
  readonly delivery: Pick<ClaimedDelivery, 'eventId' | 'eventName' | 'body'> &
    Partial<Pick<ClaimedDelivery, 'isTest'>>;
  readonly url: string;
  readonly signature: string;
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
    },
    body: delivery.body,
  };
}
