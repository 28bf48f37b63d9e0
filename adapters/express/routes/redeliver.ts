import { deliveryAnswer, deliveryIn } from '../delivery-answer.js';
import { alwaysRepeatable, callerOf, securedOperation } from '../operation.js';

/** Sends an event again. */
export const redeliver = securedOperation(
  'redeliver',
  async ({ core, organization, path, address }) => {
    const deliveryId = deliveryIn(path);
    await core.redeliver({ organization, deliveryId, by: callerOf({ address }) });
    const delivery = await core.readDelivery({ organization, deliveryId });
    return { success: true as const, delivery: deliveryAnswer(delivery) };
  },
  alwaysRepeatable,
);
