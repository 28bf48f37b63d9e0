import { CallLost } from '../../../errors.js';
import type { RedeliveredDelivery } from '../../../webhooks/ports/deliveries.js';
import { testUuid } from '../../dataset.js';
import { type ContractTest, expectEqual, expectThrow, rows } from '../../expect.js';
import { answered, call } from '../../kept-answers.js';
import { aNewMember, aNewUser } from '../../new-member.js';
import { later } from '../../noon.js';
import {
  claimOne,
  event,
  eventId,
  finish,
  finished,
  finishOldest,
  numberOf,
  numbers,
  onlyDelivery,
  plenty,
  queue,
  queued,
  registered,
} from '../../queued-deliveries.js';
import { recordingJournal } from '../../recording-journal.js';
import type { MakeTest } from '../../start-storage.js';

export function redeliverTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('redeliver makes a final delivery pending with the same event, once', async (storage) => {
      await queue(storage, { organizationId: 1, count: 1 });
      const { outbox, deliveries } = storage;
      const deliveryId = await claimOne(storage, 'a');
      await finish(storage, { deliveryId, state: 'failed' });
      expectEqual(await deliveries.redeliver({ organizationId: 1, deliveryId }), true);
      expectEqual(await deliveries.redeliver({ organizationId: 1, deliveryId }), true);
      expectEqual((await onlyDelivery(storage)).finishedAt, null);

      const claimed = await outbox.claim({ ...plenty, claim: 'b', at: later });
      expectEqual(rows(claimed, 'eventId', 'body'), [[eventId(1, 0), event(1, 0).body]]);
      await finish(storage, { deliveryId, claim: 'b', state: 'delivered' });
      const { state, attempts } = await onlyDelivery(storage);
      expectEqual([state, attempts.length], ['delivered', 2]);
    }),

    test('redeliver leaves a delivery under way as it is, and does not find another organization’s', async (storage) => {
      await queue(storage, { organizationId: 1, count: 1 });
      const { deliveries } = storage;
      const deliveryId = await claimOne(storage, 'a');
      expectEqual(await deliveries.redeliver({ organizationId: 1, deliveryId }), true);
      expectEqual((await onlyDelivery(storage)).state, 'sending');
      expectEqual(await deliveries.redeliver({ organizationId: 2, deliveryId }), false);
      expectEqual(await deliveries.find({ organizationId: 2, deliveryId }), null);
      expectEqual(await deliveries.list({ organizationId: 2, limit: 10 }), []);
    }),

    test('redeliver of a delivery that is pending or under way keeps the answer of a call, and changes nothing', async (storage) => {
      await queue(storage, { organizationId: 1, count: 1 });
      const { deliveries, idempotencyKeys: keys } = storage;
      const { id: deliveryId } = await onlyDelivery(storage);
      for (const state of ['pending', 'sending'] as const) {
        if (state === 'sending') await claimOne(storage, 'a');
        const own = call(state, 1);
        await keys.begin(own);
        const act = (run: number) =>
          deliveries.redeliver({ organizationId: 1, deliveryId }, (done) => {
            const { organizationId, eventId: ofEvent, isTest, userId, isChanged } = done;
            expectEqual(
              [organizationId, ofEvent, isTest, userId, isChanged],
              [1, eventId(1, 0), false, null, false],
            );
            return [call(state, run)];
          });
        await expectThrow(CallLost, () => act(2));
        expectEqual(await act(1), true);
        expectEqual([state, await keys.begin(call(state, 3))], [state, answered]);
        expectEqual((await onlyDelivery(storage)).state, state);
      }
    }),

    test('redeliver without an organization finds a delivery of any organization', async (storage) => {
      await queue(storage, { organizationId: 2, count: 1 });
      await finishOldest(storage, ['failed']);
      const { deliveries } = storage;
      const [delivery] = await deliveries.list({ organizationId: 2, limit: 1 });
      const deliveryId = delivery?.id ?? 0;
      expectEqual(await deliveries.redeliver({ organizationId: null, deliveryId: deliveryId + 1 }), false);
      expectEqual(await deliveries.redeliver({ organizationId: null, deliveryId }), true);
      expectEqual((await deliveries.find({ organizationId: 2, deliveryId }))?.state, 'pending');
    }),

    test('redeliver tells whether it sends a test, and the user that the event tells of', async (storage) => {
      const { members, deliveries } = storage;
      await queue(storage, { organizationId: 1, count: 0 });
      const about = { id: 7, uuid: testUuid(7), email: 'user-7@example.test' };
      await members.register(aNewMember(aNewUser(7)), () => [{ ...event(1, 1), about }]);
      await finishOldest(storage, ['failed']);
      await finished(storage, { number: 2, state: 'failed', isTest: true });
      const { seen, journal } = recordingJournal<RedeliveredDelivery>();
      for (const { id: deliveryId } of await deliveries.list({ organizationId: 1, limit: 2 }))
        await deliveries.redeliver({ organizationId: 1, deliveryId }, journal);
      expectEqual(rows(seen, 'isTest', 'userId', 'isChanged'), [
        [true, null, true],
        [false, 7, true],
      ]);
    }),

    test('a failed test is sent again only by its id, not together with all failed deliveries', async (storage) => {
      const { deliveries } = storage;
      const deliveryId = await finished(storage, { number: 1, state: 'failed', isTest: true });
      expectEqual(await deliveries.redeliverMatching({ organizationId: 1, states: ['failed'] }), 0);
      expectEqual(await deliveries.redeliver({ organizationId: 1, deliveryId }), true);
      expectEqual((await deliveries.find({ organizationId: 1, deliveryId }))?.state, 'pending');
    }),

    test('a held delivery is sent only on request, by its id or together with all held deliveries', async (storage) => {
      const { outbox, deliveries } = storage;
      const deliveryId = await queued(storage, { number: 1 });
      await registered(storage, { number: 2 });
      await outbox.hold();
      expectEqual(await deliveries.redeliver({ organizationId: 1, deliveryId }), true);
      expectEqual(await numbers(storage, { state: 'pending' }), [1]);
      const held = { organizationId: 1, states: ['held'] } as const;
      expectEqual(await deliveries.redeliverMatching(held), 1);
      const claimed = await outbox.claim({ ...plenty, claim: 'b', at: later });
      expectEqual(claimed.map(numberOf), [1, 2]);
    }),
  ];
}
