import { type ContractTest, expectEqual } from '../../expect.js';
import { finished, numbers, queued, registered } from '../../finished-deliveries.js';
import {
  body,
  claimOne,
  eventId,
  failedAttempt,
  finishOldest,
  later,
  noon,
  onlyDelivery,
  plenty,
  queue,
} from '../../queue-events.js';
import type { MakeTest } from '../../start-storage.js';

export function redeliverTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('redeliver makes a final one pending with the same event, once', async (started) => {
      await queue(started, { organizationId: 1, count: 1 });
      const { outbox, deliveries } = started.storage;
      const deliveryId = await claimOne(started, 'a');
      await outbox.finish({ deliveryId, claim: 'a', state: 'failed', attempt: failedAttempt, at: later });
      expectEqual(await deliveries.redeliver({ organizationId: 1, deliveryId }), true);
      expectEqual(await deliveries.redeliver({ organizationId: 1, deliveryId }), true);
      expectEqual((await onlyDelivery(started)).finishedAt, null);

      const claimed = await outbox.claim({ ...plenty, claim: 'b', at: later });
      expectEqual(
        claimed.map((delivery) => [delivery.eventId, delivery.body]),
        [[eventId(1, 0), body(0)]],
      );
      await outbox.finish({ deliveryId, claim: 'b', state: 'delivered', attempt: failedAttempt, at: later });
      const { state, attempts } = await onlyDelivery(started);
      expectEqual([state, attempts.length], ['delivered', 2]);
    }),

    test('one under way stays so, and another organization’s is not found', async (started) => {
      await queue(started, { organizationId: 1, count: 1 });
      const { deliveries } = started.storage;
      const deliveryId = await claimOne(started, 'a');
      expectEqual(await deliveries.redeliver({ organizationId: 1, deliveryId }), true);
      expectEqual((await onlyDelivery(started)).state, 'sending');
      expectEqual(await deliveries.redeliver({ organizationId: 2, deliveryId }), false);
      expectEqual(await deliveries.find({ organizationId: 2, deliveryId }), null);
      expectEqual(await deliveries.list({ organizationId: 2, limit: 10 }), []);
    }),

    test('redeliver without an organization finds a delivery of any', async (started) => {
      await queue(started, { organizationId: 2, count: 1 });
      await finishOldest(started, ['failed']);
      const { deliveries } = started.storage;
      const [delivery] = await deliveries.list({ organizationId: 2, limit: 1 });
      const deliveryId = delivery?.id ?? 0;
      expectEqual(await deliveries.redeliver({ organizationId: null, deliveryId: deliveryId + 1 }), false);
      expectEqual(await deliveries.redeliver({ organizationId: null, deliveryId }), true);
      expectEqual((await deliveries.find({ organizationId: 2, deliveryId }))?.state, 'pending');
    }),

    test('a failed test is sent again only by its id, not with all that failed', async ({ storage }) => {
      const { deliveries } = storage;
      const deliveryId = await finished(storage, { number: 1, state: 'failed', isTest: true });
      expectEqual(
        await deliveries.redeliverMatching({ organizationId: 1, states: ['failed'], since: noon }),
        0,
      );
      expectEqual(await deliveries.redeliver({ organizationId: 1, deliveryId }), true);
      expectEqual((await deliveries.find({ organizationId: 1, deliveryId }))?.state, 'pending');
    }),

    test('a held delivery is sent when it is requested, by its id or with all that are held', async ({
      storage,
    }) => {
      const { outbox, deliveries } = storage;
      const deliveryId = await queued(storage, { number: 1 });
      await registered(storage, { number: 2 });
      await outbox.hold();
      expectEqual(await deliveries.redeliver({ organizationId: 1, deliveryId }), true);
      expectEqual(await numbers(storage, { state: 'pending' }), [1]);
      const held = { organizationId: 1, states: ['held'] } as const;
      expectEqual(await deliveries.redeliverMatching(held), 1);
      const claimed = await outbox.claim({ ...plenty, claim: 'b', at: later });
      expectEqual(
        claimed.map(({ body }) => body),
        ['1', '2'],
      );
    }),
  ];
}
