import { deliveryIn, listedDeliveryAnswer } from '../delivery-answer.js';
import { alwaysRepeatable, securedOperation } from '../operation.js';

/** Sends an event again. */
export const redeliver = securedOperation(
  'redeliver',
  async ({ core, organization, path, by, keep }) => {
    const deliveryId = deliveryIn(path);
    const delivery = listedDeliveryAnswer(
      await core.readDelivery({ organization, deliveryId, onlyLastAttempt: true }),
    );
    const isOver = overStates.includes(delivery.state);
    const answer = {
      success: true as const,
      delivery: { ...delivery, state: isOver ? ('pending' as const) : delivery.state },
    };
    await core.redeliver({
      organization,
      deliveryId,
      keep: keep && (() => keep(answer)),
      by,
    });
    return answer;
  },
  alwaysRepeatable,
);

const overStates: readonly string[] = ['delivered', 'failed', 'skipped'];
