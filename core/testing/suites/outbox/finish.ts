import { type ContractTest, expectEqual } from '../../expect.js';
import {
  body,
  claimOne,
  eventId,
  failedAttempt,
  later,
  noon,
  onlyDelivery,
  queue,
} from '../../queue-events.js';
import type { MakeTest } from '../../start-storage.js';

export function finishTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('finish stores the state and the attempt while the claim holds the delivery, and not afterwards', async (started) => {
      await queue(started, { organizationId: 1, count: 1 });
      const { outbox } = started.storage;
      const deliveryId = await claimOne(started, 'a');
      const result = { deliveryId, state: 'delivered', attempt: failedAttempt, at: later } as const;
      expectEqual(await outbox.finish({ ...result, claim: 'other' }), false);
      expectEqual(await outbox.finish({ ...result, claim: 'a' }), true);
      expectEqual(await outbox.finish({ ...result, claim: 'a' }), false);
      expectEqual(await onlyDelivery(started), {
        id: deliveryId,
        organizationId: 1,
        eventId: eventId(1, 0),
        eventName: 'user.registered',
        body: body(0),
        isTest: false,
        state: 'delivered',
        createdAt: noon,
        finishedAt: later,
        isDropped: false,
        attempts: [failedAttempt],
      });
    }),

    test('a skipped delivery is final without an attempt', async (started) => {
      await queue(started, { organizationId: 1, count: 1 });
      const deliveryId = await claimOne(started, 'a');
      await started.storage.outbox.finish({
        deliveryId,
        claim: 'a',
        state: 'skipped',
        attempt: null,
        at: later,
      });
      const { state, attempts, finishedAt } = await onlyDelivery(started);
      expectEqual([state, attempts, finishedAt], ['skipped', [], later]);
    }),
  ];
}
