import type { Organization } from '../access/ports.js';
import type { Uses } from '../deps.js';
import { checkId } from '../values/ids.js';
import { type WebhookView, webhookView } from './webhook.js';

export interface ReadWebhook {
  readonly organization: Pick<Organization, 'id'>;
}

/** Reads the webhook's configuration without its secret, or returns null if there is none. */
export async function readWebhook(
  { webhooks }: Uses<'webhooks.of'>,
  { organization }: ReadWebhook,
): Promise<WebhookView | null> {
  const webhook = await webhooks.of(checkId('organization.id', organization.id));
  return webhook === null ? null : webhookView(webhook, null);
}
