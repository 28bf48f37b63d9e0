import { availableEvents, type ConfigureWebhook, secretMask, type WebhookView } from '@rollcall/core';
import { callerOf, field, type OrganizationCall, secured } from '../operation.js';

/** Section 4.5, and decision 2. */
export const readWebhook = secured('readWebhook', async ({ core, organization }) => {
  const webhook = await core.readWebhook({ organization });
  return {
    success: true,
    webhook: webhook === null ? null : { ...wire(webhook), secret: secretMask },
    available_events: [...availableEvents],
  };
});

export const createWebhook = secured('createWebhook', (call) => configure(call, 'set'));
export const changeWebhook = secured('changeWebhook', (call) => configure(call, 'change'));

/** The body goes on as it came: one 422 tells every mistake in it (decision 39). */
async function configure(
  { core, organization, input, address }: OrganizationCall,
  how: ConfigureWebhook['how'],
) {
  const webhook = await core.configureWebhook({
    organization,
    how,
    webhook: field(input, 'webhook'),
    regenerateSecret: field(input, 'regenerate_secret'),
    by: callerOf({ address }),
  });
  return { success: true as const, webhook: wire(webhook), available_events: [...availableEvents] };
}

function wire(webhook: WebhookView) {
  return {
    id: webhook.id,
    url: webhook.url ?? '',
    enabled: webhook.enabled,
    events: [...webhook.events],
    secret: webhook.secret?.reveal() ?? secretMask,
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
  };
}
