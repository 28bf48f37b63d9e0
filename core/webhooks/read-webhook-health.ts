import type { OfOrganization } from '../access/of-organization.js';
import type { Uses } from '../deps.js';
import { checkId } from '../values/ids.js';
import type { WebhookHealth } from './ports/webhooks.js';

/** The request of `readWebhookHealth`. */
export type ReadWebhookHealth = OfOrganization;

/**
 * Reads whether the webhook's latest deliveries have arrived. A page shows this, because a webhook is never disabled
 * for failing.
 *
 * @throws `TypeError` if `organization.id` is not an id.
 */
export async function readWebhookHealth(
  { webhooks }: Uses<'webhooks.health'>,
  { organization }: ReadWebhookHealth,
): Promise<WebhookHealth> {
  return webhooks.health(checkId('organization.id', organization.id));
}
