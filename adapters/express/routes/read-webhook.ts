import { availableEvents } from '@rollcall/core/rules';
import { securedOperation } from '../operation.js';
import { maskedWebhookAnswer } from '../webhook-answer.js';

/** Section 4.5, and decision 2. */
export const readWebhook = securedOperation('readWebhook', async ({ core, organization }) => {
  const webhook = await core.readWebhook({ organization });
  return {
    success: true as const,
    webhook: webhook === null ? null : maskedWebhookAnswer(webhook),
    available_events: [...availableEvents],
    ...(webhook?.rotationEndsAt && { rotation: { ends_at: webhook.rotationEndsAt.toISOString() } }),
  };
});
