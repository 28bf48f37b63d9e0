import type { OfOrganization } from '../access/of-organization.js';
import type { Uses } from '../deps.js';
import { checkId } from '../values/ids.js';
import { type WebhookView, webhookView } from './webhook.js';

/** The request of `readWebhook`. */
export type ReadWebhook = OfOrganization;

/**
 * Reads the webhook's configuration without its secret, or returns null if there is none.
 *
 * @throws `TypeError` if `organization.id` is not an id.
 */
export async function readWebhook(
  { webhooks, webhookSender, clock }: Uses<'clock.now' | 'webhookSender.refusalOf' | 'webhooks.of'>,
  { organization }: ReadWebhook,
): Promise<WebhookView | null> {
  const webhook = await webhooks.of(checkId('organization.id', organization.id));
  return webhook === null ? null : webhookView({ webhookSender }, { webhook, secret: null, at: clock.now() });
}
