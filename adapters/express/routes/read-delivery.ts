import { deliveryAnswer, deliveryIn } from '../delivery-answer.js';
import { securedOperation } from '../operation.js';

/** Shows a delivery with the requests and responses of its attempts. */
export const readDelivery = securedOperation('readDelivery', async ({ core, organization, path }) => {
  const delivery = await core.readDelivery({ organization, deliveryId: deliveryIn(path) });
  return { success: true as const, delivery: deliveryAnswer(delivery) };
});
