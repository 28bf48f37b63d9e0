import type { RecordedAttempt } from '../../../webhooks/ports/deliveries.js';
import { type ContractTest, expectEqual } from '../../expect.js';
import { later, noon } from '../../noon.js';
import {
  claimOne,
  event,
  eventId,
  failedAttempt,
  finish,
  onlyDelivery,
  queue,
  withoutTexts,
} from '../../queued-deliveries.js';
import type { MakeTest } from '../../start-storage.js';
import { eventName } from '../../subscribe.js';

/** A request and a response of the largest size, with characters that take the most room in JSON. */
const largest = {
  request: { url: `https://partner.test/${'x'.repeat(2_000)}`, headers: { 'X-Long': 'y'.repeat(4_000) } },
  response: {
    headers: { __proto__x: '1', 'X-Long': 'z'.repeat(16_000) },
    body: '\u0000'.repeat(8_192),
    isTruncated: true,
  },
} as const;

export function finishTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('finish stores the state and the attempt while the claim holds the delivery, and not afterwards', async (storage) => {
      await queue(storage, { organizationId: 1, count: 1 });
      const deliveryId = await claimOne(storage, 'a');
      const result = { deliveryId, state: 'delivered' } as const;
      expectEqual(await finish(storage, { ...result, claim: 'other' }), false);
      expectEqual([await finish(storage, result), await finish(storage, result)], [true, false]);
      expectEqual(await onlyDelivery(storage), {
        id: deliveryId,
        organizationId: 1,
        eventId: eventId(1, 0),
        eventName,
        body: event(1, 0).body,
        isTest: false,
        state: 'delivered',
        createdAt: noon,
        finishedAt: later,
        isDropped: false,
        attempts: [withoutTexts(failedAttempt)],
      });
    }),

    test('an attempt keeps its request and its response, and lists leave both out', async (storage) => {
      await queue(storage, { organizationId: 1, count: 1 });
      const { deliveries } = storage;
      const attempts: readonly RecordedAttempt[] = [
        failedAttempt,
        { ...failedAttempt, phase: 'connect', status: null, reason: 'connection refused', response: null },
        { ...failedAttempt, phase: 'request', status: null, request: null, response: null },
        { ...failedAttempt, request: largest.request, response: largest.response },
      ];
      const key = { organizationId: 1, deliveryId: (await onlyDelivery(storage)).id };
      for (const attempt of attempts) {
        await deliveries.redeliver(key);
        const deliveryId = await claimOne(storage, 'a');
        await finish(storage, { deliveryId, state: 'failed', attempt });
      }
      expectEqual((await deliveries.find(key))?.attempts, attempts);
      expectEqual((await onlyDelivery(storage)).attempts, attempts.map(withoutTexts));
    }),

    test('a skipped delivery is final without an attempt', async (storage) => {
      await queue(storage, { organizationId: 1, count: 1 });
      const deliveryId = await claimOne(storage, 'a');
      await finish(storage, { deliveryId, state: 'skipped' });
      const { state, attempts, finishedAt } = await onlyDelivery(storage);
      expectEqual([state, attempts, finishedAt], ['skipped', [], later]);
    }),
  ];
}
