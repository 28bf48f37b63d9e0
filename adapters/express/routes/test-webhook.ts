import type { DeliveryReport, DeliveryView } from '@rollcall/core';
import { deliveryAnswer } from '../delivery-answer.js';
import { securedOperation } from '../operation.js';

/** Sends a test event and waits for its result. */
export const testWebhook = securedOperation('testWebhook', async ({ core, organization, by }) => {
  const report = await core.testWebhook({ organization, by });
  const stored = await core.readDelivery({ organization, deliveryId: report.deliveryId });
  return { success: true as const, delivery: deliveryAnswer(withResult(stored, report)) };
});

/** The result is known before it is written if the database is busy or its disk is full. */
function withResult(stored: DeliveryView, { state, attempt }: DeliveryReport): DeliveryView {
  if (stored.state !== 'sending') return stored;
  const attempts = attempt === null ? [] : [{ ...attempt, number: 1 }];
  return { ...stored, state, attempts, attemptCount: attempts.length };
}
