import { createHmac } from 'node:crypto';
import type { Secret, WebhookRequest } from '@rollcall/core';

/** The header `webhook-signature` of the request, as the specification of Standard Webhooks defines it. */
export function standardSignature(request: WebhookRequest | undefined, secret: Secret | null): string {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp } = request?.headers ?? {};
  const key = Buffer.from((secret?.reveal() ?? '').slice('whsec_'.length), 'base64');
  const text = `${id}.${timestamp}.${request?.body}`;
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
}
