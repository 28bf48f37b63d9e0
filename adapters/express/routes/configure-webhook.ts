import type { ConfigureWebhook, WebhookView } from '@rollcall/core';
import { availableEvents } from '@rollcall/core/rules';
import { type Input, type OrganizationCall, securedOperation } from '../operation.js';
import { webhookAnswer } from '../webhook-answer.js';

/** Section 4.5. */
export const createWebhook = securedOperation('createWebhook', (call) => configure(call, 'set'), {
  isRepeatable: rotatesSecret,
});
export const changeWebhook = securedOperation('changeWebhook', (call) => configure(call, 'change'), {
  isRepeatable: rotatesSecret,
});

async function configure(call: OrganizationCall<Input<'createWebhook'>>, how: ConfigureWebhook['how']) {
  const { core, organization, input, problems, by, setHeader, keep } = call;
  const answerOf = (webhook: WebhookView) => {
    if (webhook.urlRefusal !== null)
      setHeader('X-Warning', `Nothing can be sent to this URL: ${webhook.urlRefusal}`);
    return {
      success: true as const,
      webhook: webhookAnswer(webhook),
      available_events: [...availableEvents],
      ...(input.overlap_hours !== undefined && { rotation: rotationAnswer(webhook) }),
    };
  };
  const webhook = await core.configureWebhook({
    organization,
    how,
    webhook: input.webhook,
    regenerateSecret: input.regenerate_secret,
    overlapHours: input.overlap_hours,
    problems,
    by,
    keep: keep && ((stored) => keep(answerOf(stored))),
  });
  return answerOf(webhook);
}

/** The new secret is in the answer alone, so the answer must be repeatable. */
function rotatesSecret({ regenerate_secret: value }: Input<'createWebhook'>): boolean {
  return value === '1' || value === 1 || value === true;
}

function rotationAnswer({ rotationEndsAt }: WebhookView) {
  return rotationEndsAt === null ? null : { ends_at: rotationEndsAt.toISOString() };
}
