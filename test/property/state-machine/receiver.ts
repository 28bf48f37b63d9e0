import { createHmac } from 'node:crypto';
import type { WebhookSender } from '@rollcall/core';
import { eventName } from '#core/testing/subscribe.js';
import { type Draft, difference } from './cell.js';
import { markerOf } from './command.js';
import {
  type Delivery,
  eventBody,
  iso,
  type Model,
  type OrganizationModel,
  type SentRequest,
  timeCell,
} from './model.js';
import { rotationOf } from './webhook.js';

/** A sender in place of the network: each organization's endpoint answers as the model says. */
export function senderTo(model: Model): Pick<WebhookSender, 'send'> {
  return {
    async send({ url, headers, body }) {
      const organization = model.organizations.find((one) => url.includes(markerOf(one, model)));
      if (organization !== undefined) model.received.push({ url, headers: { ...headers }, body });
      const status = organization?.receiver ?? null;
      const request = { url, headers };
      if (status === null) {
        const reason = 'connection refused';
        return { duration: 3, outcome: 'failed', phase: 'connect', status, reason, request, response: null };
      }
      const response = { headers: {}, body: '', isTruncated: false };
      const outcome = status < 300 ? 'delivered' : 'failed';
      return {
        duration: 12,
        outcome,
        phase: 'answer',
        status,
        reason: `answered ${status}`,
        request,
        response,
      };
    },
  };
}

/** What is wrong with a request to an endpoint, or null (sections 6.2 and 6.3, decisions 5 and 86). */
export function requestProblem(
  model: Model,
  {
    organization,
    delivery,
    sent,
    draft,
  }: {
    readonly organization: OrganizationModel;
    readonly delivery: Delivery;
    readonly sent: SentRequest;
    readonly draft: Draft;
  },
): string | null {
  const { webhook } = organization;
  if (webhook === null) return 'there is no webhook';
  const old = rotationOf(model, webhook)?.secret ?? null;
  const secrets = [...(old === null ? [] : [old]), webhook.secret].map(({ value }) => String(value));
  const id = String(draft.valueOf(delivery.eventId));
  const seconds = String(Math.floor(model.now / 1000));
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'Service Webhook',
    'X-Service-Signature': `sha256=${hmac(secrets[0] ?? '', sent.body).toString('hex')}`,
    'X-Service-Event': eventName,
    'X-Service-Event-Id': id,
    'webhook-id': id,
    'webhook-timestamp': seconds,
  };
  const ours = Object.fromEntries(Object.keys(headers).map((name) => [name, sent.headers[name] ?? null]));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    return `v1,${hmac(key, `${id}.${seconds}.${sent.body}`).toString('base64')}`;
  });
  const seen = (sent.headers['webhook-signature'] ?? '').split(' ');
  const body = delivery.event === null ? testBody(delivery, organization) : eventBody(delivery.event);
  return (
    difference(webhook.url, sent.url, draft, 'the URL') ??
    difference(body, JSON.parse(sent.body), draft, 'the body of the request') ??
    difference(headers, ours, draft, 'the request’s headers') ??
    difference([...signatures].sort(), seen.sort(), draft, 'webhook-signature') ??
    difference(
      delivery.event === null ? 'true' : undefined,
      sent.headers['X-Service-Test'],
      draft,
      'X-Service-Test',
    )
  );
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** The event about the made-up user of decision 86. */
function testBody({ eventId, at }: Delivery, { id, name }: OrganizationModel): object {
  return {
    event: eventName,
    event_id: eventId,
    timestamp: iso(at),
    organization: { id, name },
    user: {
      id: 2147483647,
      uuid: '00000000-0000-4000-8000-000000000000',
      email: 'webhook-test@example.invalid',
      first_name: /./,
      last_name: /./,
      created_at: timeCell(),
    },
  };
}
