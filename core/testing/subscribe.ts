import type { StoragePorts } from '../ports.js';
import { availableEvents } from '../webhooks/events.js';
import type { WebhookSettings } from '../webhooks/ports/webhooks.js';
import { anOrganization } from './dataset.js';
import { noon } from './noon.js';
import type { TestStorage } from './start-storage.js';

/** An event that organizations can subscribe to, where a test needs any of them. */
export const [eventName] = availableEvents;

/** An enabled webhook that is subscribed to every event. */
export function aWebhook(at: Date): WebhookSettings {
  return {
    url: 'https://partner.test/',
    enabled: true,
    events: availableEvents,
    encryptedSecret: 'sealed',
    previousSecret: null,
    createdAt: at,
    updatedAt: at,
  };
}

/** Loads the organizations 1 and 2, each with an enabled webhook. */
export async function withWebhooks(storage: TestStorage): Promise<void> {
  await storage.load({ organizations: [anOrganization(1), anOrganization(2)] });
  await subscribe(storage, [1, 2]);
}

/** Gives each organization that has no webhook such a one, so that its events are delivered. */
export async function subscribe(
  { webhooks }: Pick<StoragePorts, 'webhooks'>,
  organizationIds: readonly number[],
): Promise<void> {
  const webhook = aWebhook(noon);
  for (const organizationId of new Set(organizationIds))
    if ((await webhooks.of(organizationId)) === null) await webhooks.configure(organizationId, () => webhook);
}
