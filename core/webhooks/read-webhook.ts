import type { Organization } from '../ports.js';
import type { World } from '../world.js';
import { type ShownWebhook, showWebhook } from './webhook.js';

export interface ReadWebhook {
  readonly organization: Pick<Organization, 'id'>;
}

/** The configuration, its secret masked, or null where there is none (decision 2). */
export async function readWebhook(
  { webhooks }: Pick<World, 'webhooks'>,
  { organization }: ReadWebhook,
): Promise<ShownWebhook | null> {
  const webhook = await webhooks.of(organization.id);
  return webhook === null ? null : showWebhook(webhook, null);
}
