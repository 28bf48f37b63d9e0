import { securedOperation } from '../operation.js';
import { maskedWebhookAnswer } from '../webhook-answer.js';

/** Ends a rotation that was started with `overlap_hours`. */
export const finishRotation = securedOperation('finishRotation', async ({ core, organization, by }) => {
  const webhook = await core.finishRotation({ organization, by });
  return {
    success: true as const,
    finished: webhook?.isFinished ?? false,
    webhook: webhook === null ? null : maskedWebhookAnswer(webhook),
  };
});
