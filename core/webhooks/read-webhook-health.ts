import type { Organization } from '../access/ports.js';
import type { Uses } from '../deps.js';
import { checkId } from '../values/ids.js';
import type { WebhookHealth } from './ports.js';

export interface ReadWebhookHealth {
  readonly organization: Pick<Organization, 'id'>;
}

/**
 * Reads whether the webhook's latest deliveries have arrived. A page shows this, because a webhook is never disabled for failing.
 */
export async function readWebhookHealth(
  { webhooks }: Uses<'webhooks.health'>,
  { organization }: ReadWebhookHealth,
): Promise<WebhookHealth> {
  return webhooks.health(checkId('organization.id', organization.id));
}
