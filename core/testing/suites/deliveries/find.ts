import type { RecordedAttempt } from '../../../webhooks/ports/deliveries.js';
import { type ContractTest, expectEqual } from '../../expect.js';
import { noon } from '../../noon.js';
import { claimOne, event, failedAttempt, finish, plenty, queue } from '../../queued-deliveries.js';
import type { MakeTest } from '../../start-storage.js';

export function findTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('the newest 20 attempts of a delivery, or the last one, are found with their requests and responses, and all are counted', async (storage) => {
      await queue(storage, { organizationId: 1, count: 2 });
      const { outbox, deliveries } = storage;
      const [other, one] = await deliveries.list({ organizationId: 1, limit: 2 });
      const key = { organizationId: 1, deliveryId: one?.id ?? 0 };
      const first = await outbox.claim({ ...plenty, limit: 2, claim: 'a', at: noon });
      for (const { deliveryId } of first)
        await finish(storage, { deliveryId, state: 'failed', attempt: attemptOf(1) });
      for (let number = 2; number <= 23; number += 1) {
        await deliveries.redeliver(key);
        const deliveryId = await claimOne(storage, 'a');
        await finish(storage, { deliveryId, state: 'failed', attempt: attemptOf(number) });
      }
      const found = await deliveries.find(key);
      expectEqual([found?.attemptCount, found?.body, found?.state], [23, event(1, 0).body, 'failed']);
      expectEqual(
        found?.attempts,
        Array.from({ length: 20 }, (_, index) => attemptOf(index + 4)),
      );
      const withLast = await deliveries.find({ ...key, onlyLastAttempt: true });
      expectEqual(
        [withLast?.attemptCount, withLast?.body, withLast?.attempts],
        [23, event(1, 0).body, [attemptOf(23)]],
      );
      const listed = await deliveries.list({ organizationId: 1, limit: 2 });
      expectEqual(
        listed.map((delivery) => [delivery.id, delivery.body, delivery.attempts.length]),
        [
          [other?.id, event(1, 1).body, 1],
          [one?.id, event(1, 0).body, 23],
        ],
      );
      const untouched = await deliveries.find({ organizationId: 1, deliveryId: other?.id ?? 0 });
      expectEqual(untouched?.attempts, [attemptOf(1)]);
    }),

    test('a delivery of another organization is found only without an organization', async (storage) => {
      await queue(storage, { organizationId: 2, count: 1 });
      const { deliveries } = storage;
      const [{ id: deliveryId } = { id: 0 }] = await deliveries.list({ organizationId: 2, limit: 1 });
      expectEqual(await deliveries.find({ organizationId: 1, deliveryId }), null);
      const found = await deliveries.find({ organizationId: null, deliveryId });
      expectEqual([found?.id, found?.organizationId], [deliveryId, 2]);
      expectEqual(await deliveries.find({ organizationId: null, deliveryId: deliveryId + 1 }), null);
    }),
  ];
}

function attemptOf(number: number): RecordedAttempt {
  return { ...failedAttempt, reason: `attempt ${number}` };
}
