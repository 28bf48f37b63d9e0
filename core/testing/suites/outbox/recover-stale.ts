import { interruptedAttempt } from '../../../webhooks/interrupted-attempt.js';
import { type ContractTest, expectEqual } from '../../expect.js';
import { event } from '../../finished-deliveries.js';
import {
  claimOne,
  failedAttempt,
  later,
  noon,
  onlyDelivery,
  plenty,
  queue,
  withoutTexts,
} from '../../queue-events.js';
import type { MakeTest } from '../../start-storage.js';

export function recoverStaleTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('recoverStale ends old claims, records the interruption and makes the deliveries pending again', async (storage) => {
      await queue(storage, { organizationId: 1, count: 1 });
      const { outbox } = storage;
      const deliveryId = await claimOne(storage, 'a');
      const request = { maxClaims: 3, at: later };
      expectEqual(await outbox.recoverStale({ ...request, olderThanMs: 600_000 }), { again: 0, failed: 0 });
      expectEqual(await outbox.recoverStale({ ...request, olderThanMs: null }), { again: 1, failed: 0 });

      const { state, attempts } = await onlyDelivery(storage);
      // The attempt storage when the delivery was claimed. The clock may be the storage's own.
      const startedAt = attempts[0]?.startedAt ?? noon;
      const interrupted = { ...interruptedAttempt, startedAt };
      expectEqual([state, attempts], ['pending', [withoutTexts(interrupted)]]);
      const found = await storage.deliveries.find({ organizationId: 1, deliveryId });
      expectEqual(found?.attempts, [interrupted]);
      expectEqual(
        await outbox.finish({ deliveryId, claim: 'a', state: 'failed', attempt: failedAttempt, at: later }),
        false,
      );
      const again = await claimOne(storage, 'b');
      expectEqual(again, deliveryId);
    }),

    test('a delivery fails after the third interrupted claim', async (storage) => {
      await queue(storage, { organizationId: 1, count: 1 });
      const request = { olderThanMs: null, maxClaims: 3, at: later };
      const results = [];
      for (const claim of ['a', 'b', 'c']) {
        await claimOne(storage, claim);
        results.push(await storage.outbox.recoverStale(request));
      }
      expectEqual(results, [
        { again: 1, failed: 0 },
        { again: 1, failed: 0 },
        { again: 0, failed: 1 },
      ]);
      const { state, attempts, finishedAt } = await onlyDelivery(storage);
      expectEqual([state, attempts.length, finishedAt], ['failed', 3, later]);
    }),

    test('a test that a crash interrupted is recovered like any other delivery, and is still a test', async (storage) => {
      const { outbox } = storage;
      await outbox.startTest({ event: event(1, 1), claim: 'a', at: noon });
      expectEqual(await outbox.recoverStale({ olderThanMs: null, maxClaims: 3, at: later }), {
        again: 1,
        failed: 0,
      });
      const again = await outbox.claim({ ...plenty, claim: 'b', at: later });
      expectEqual(
        again.map(({ eventId, isTest }) => [eventId, isTest]),
        [[event(1, 1).id, true]],
      );
    }),
  ];
}
