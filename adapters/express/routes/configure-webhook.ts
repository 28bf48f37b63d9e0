import type { ConfigureWebhook } from '@rollcall/core';
import { availableEvents } from '@rollcall/core/rules';
import { callerOf, type Input, type OrganizationCall, securedOperation } from '../operation.js';
import { webhookAnswer } from '../webhook-answer.js';

/** Section 4.5. */
export const createWebhook = securedOperation('createWebhook', (call) => configure(call, 'set'));
export const changeWebhook = securedOperation('changeWebhook', (call) => configure(call, 'change'));

async function configure(
  { core, organization, input, problems, address }: OrganizationCall<Input<'createWebhook'>>,
  how: ConfigureWebhook['how'],
) {
  const webhook = await core.configureWebhook({
    organization,
    how,
    webhook: input.webhook,
    regenerateSecret: input.regenerate_secret,
    problems,
    by: callerOf({ address }),
  });
  return {
    success: true as const,
    webhook: webhookAnswer(webhook),
    available_events: [...availableEvents],
  };
}
