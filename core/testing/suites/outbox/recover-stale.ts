import { interruptedAttempt } from '../../../webhooks/interrupted-attempt.js';
import { type ContractTest, expectEqual, rows } from '../../expect.js';
import { later, noon } from '../../noon.js';
import {
  claimOne,
  cutOff,
  event,
  eventId,
  finish,
  onlyDelivery,
  plenty,
  queue,
  withoutTexts,
} from '../../queued-deliveries.js';
import type { MakeTest } from '../../start-storage.js';

export function recoverStaleTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('recoverStale ends old claims, records the interruption and makes the deliveries pending again', async (storage) => {
      await queue(storage, { organizationId: 1, count: 1 });
      const deliveryId = await claimOne(storage, 'a');
      const young = { olderThanMs: 600_000, maxClaims: 3, at: later };
      expectEqual(await storage.outbox.recoverStale(young), { again: 0, failed: 0 });
      expectEqual(await cutOff(storage), { again: 1, failed: 0 });

      const { state, attempts } = await onlyDelivery(storage);
      // The attempt began when the delivery was claimed. The clock may be the storage's own.
      const startedAt = attempts[0]?.startedAt ?? noon;
      const interrupted = { ...interruptedAttempt, startedAt };
      expectEqual([state, attempts], ['pending', [withoutTexts(interrupted)]]);
      const found = await storage.deliveries.find({ organizationId: 1, deliveryId });
      expectEqual(found?.attempts, [interrupted]);
      expectEqual(await finish(storage, { deliveryId, state: 'failed' }), false);
      expectEqual(await claimOne(storage, 'b'), deliveryId);
    }),

    test('a delivery fails after the third interrupted claim', async (storage) => {
      await queue(storage, { organizationId: 1, count: 1 });
      const results = [];
      for (const claim of ['a', 'b', 'c']) {
        await claimOne(storage, claim);
        results.push(await cutOff(storage));
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
      expectEqual(await cutOff(storage), { again: 1, failed: 0 });
      const again = await outbox.claim({ ...plenty, claim: 'b', at: later });
      expectEqual(rows(again, 'eventId', 'isTest'), [[eventId(1, 1), true]]);
    }),
  ];
}
