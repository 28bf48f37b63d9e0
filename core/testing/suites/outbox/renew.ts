import { atOnce, type ContractTest, expectEqual } from '../../expect.js';
import { later, noon } from '../../noon.js';
import { claimOne, cutOff, event, finish, onlyDelivery, plenty, queue } from '../../queued-deliveries.js';
import type { MakeTest } from '../../start-storage.js';

const stale = { olderThanMs: 60_000, maxClaims: 3, at: later };

export function renewTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('renew tells whether the claim still holds the delivery, and changes nothing else', async (storage) => {
      await queue(storage, { organizationId: 1, count: 1 });
      const { outbox } = storage;
      const deliveryId = await claimOne(storage, 'a');
      const before = await onlyDelivery(storage);
      const renew = (claim: string, id = deliveryId) => outbox.renew({ deliveryId: id, claim, at: later });
      expectEqual([await renew('a'), await renew('a')], [true, true]);
      expectEqual([await renew('other'), await renew('a', deliveryId + 1)], [false, false]);
      expectEqual(await onlyDelivery(storage), before);
      expectEqual(await finish(storage, { deliveryId, state: 'skipped' }), true);
      expectEqual(await renew('a'), false);
      expectEqual((await onlyDelivery(storage)).state, 'skipped');
    }),

    test('renew is false once the delivery was recovered, whether another claim holds it or not', async (storage) => {
      await queue(storage, { organizationId: 1, count: 1 });
      const { outbox } = storage;
      const deliveryId = await claimOne(storage, 'a');
      const renew = (claim: string) => outbox.renew({ deliveryId, claim, at: later });
      expectEqual(await cutOff(storage), { again: 1, failed: 0 });
      expectEqual(await renew('a'), false);
      expectEqual((await onlyDelivery(storage)).state, 'pending');
      expectEqual(await claimOne(storage, 'b'), deliveryId);
      expectEqual([await renew('a'), await renew('b')], [false, true]);
      expectEqual(await finish(storage, { deliveryId, claim: 'b', state: 'skipped' }), true);
    }),

    test('renew is false for a held delivery', async (storage) => {
      await queue(storage, { organizationId: 1, count: 1 });
      const { outbox } = storage;
      const deliveryId = await claimOne(storage, 'a');
      expectEqual(await outbox.hold(), 1);
      expectEqual(await outbox.renew({ deliveryId, claim: 'a', at: later }), false);
      expectEqual((await onlyDelivery(storage)).state, 'held');
    }),

    test('a renewed claim is as young as a new one', async (storage) => {
      await queue(storage, { organizationId: 1, count: 1 });
      const { outbox } = storage;
      const deliveryId = await claimOne(storage, 'a');
      expectEqual(await outbox.renew({ deliveryId, claim: 'a', at: later }), true);
      expectEqual(await outbox.recoverStale(stale), { again: 0, failed: 0 });
      expectEqual((await onlyDelivery(storage)).state, 'sending');
      // Renewing is not claiming: the delivery was claimed once.
      expectEqual(await cutOff(storage, 2), { again: 1, failed: 0 });
    }),

    test('a test that is under way can be renewed', async ({ outbox }) => {
      const started = await outbox.startTest({ event: event(1, 1), claim: 'a', at: noon });
      const deliveryId = started?.deliveryId ?? 0;
      expectEqual(await outbox.renew({ deliveryId, claim: 'a', at: later }), true);
      expectEqual(await outbox.renew({ deliveryId, claim: 'b', at: later }), false);
    }),

    test('of 20 deliveries that are renewed and recovered at once, each is renewed or recovered', async (storage) => {
      await queue(storage, { organizationId: 1, count: 20 });
      const { outbox } = storage;
      const claimed = await outbox.claim({ ...plenty, claim: 'a', at: noon });
      let again = 0;
      const renewed = await atOnce(22, async (index) => {
        const { deliveryId } = claimed[index > 10 ? index - 1 : index] ?? { deliveryId: 0 };
        if (index !== 10 && index !== 21) return outbox.renew({ deliveryId, claim: 'a', at: later });
        const recovered = await outbox.recoverStale(stale);
        again += recovered.again;
        return false;
      });
      const kept = renewed.filter((isHeld) => isHeld).length;
      expectEqual([claimed.length, kept + again], [20, 20]);
      const waiting = await outbox.claim({ ...plenty, claim: 'b', at: later });
      expectEqual(waiting.length, again);
    }),

    test('of 20 callers that renew while one finishes, none gets the delivery back', async (storage) => {
      await queue(storage, { organizationId: 1, count: 1 });
      const { outbox } = storage;
      const deliveryId = await claimOne(storage, 'a');
      await atOnce(21, (index) =>
        index === 10
          ? finish(storage, { deliveryId, state: 'skipped' })
          : outbox.renew({ deliveryId, claim: 'a', at: later }),
      );
      const { state, finishedAt } = await onlyDelivery(storage);
      expectEqual([state, finishedAt], ['skipped', later]);
      expectEqual(await cutOff(storage), { again: 0, failed: 0 });
    }),
  ];
}
