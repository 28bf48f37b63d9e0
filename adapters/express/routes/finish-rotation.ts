import { callerOf, securedOperation } from '../operation.js';
import { maskedWebhookAnswer } from '../webhook-answer.js';

/** Ends a rotation that was started with `overlap_hours`. */
export const finishRotation = securedOperation('finishRotation', async ({ core, organization, address }) => {
  const webhook = await core.finishRotation({ organization, by: callerOf({ address }) });
  return {
    success: true as const,
    finished: webhook?.isFinished ?? false,
    webhook: webhook === null ? null : maskedWebhookAnswer(webhook),
  };
});
