import { deliveryAnswer } from '../delivery-answer.js';
import { callerOf, securedOperation } from '../operation.js';

/** Sends a test event and waits for its result. */
export const testWebhook = securedOperation('testWebhook', async ({ core, organization, address }) => {
  const { deliveryId } = await core.testWebhook({ organization, by: callerOf({ address }) });
  const delivery = await core.readDelivery({ organization, deliveryId });
  return { success: true as const, delivery: deliveryAnswer(delivery) };
});
