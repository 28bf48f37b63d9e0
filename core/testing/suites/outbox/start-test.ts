import { atOnce, type ContractTest, expectEqual } from '../../expect.js';
import { later, noon } from '../../noon.js';
import { event, failedAttempt, finish, plenty } from '../../queued-deliveries.js';
import type { MakeTest } from '../../start-storage.js';

export function startTestTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('a test is under way from its start, and no other caller claims it', async (storage) => {
      const { outbox, deliveries } = storage;
      const claimed = await outbox.startTest({ event: event(1, 1), claim: 'mine', at: later });
      const deliveryId = claimed?.deliveryId ?? 0;
      const { id, name, organizationId, body } = event(1, 1);
      const shown = { organizationId, eventId: id, eventName: name, body, isTest: true };
      expectEqual(claimed, { deliveryId, claim: 'mine', ...shown });
      const rest = { createdAt: noon, finishedAt: null, isDropped: false, attemptCount: 0, attempts: [] };
      expectEqual(await deliveries.find({ organizationId: 1, deliveryId }), {
        id: deliveryId,
        ...shown,
        state: 'sending',
        ...rest,
      });
      expectEqual(await outbox.claim({ ...plenty, claim: 'other', at: later }), []);
      expectEqual(await finish(storage, { deliveryId, claim: 'other', state: 'failed' }), false);
      expectEqual(await finish(storage, { deliveryId, claim: 'mine', state: 'delivered' }), true);
      expectEqual((await deliveries.find({ organizationId: 1, deliveryId }))?.attempts, [failedAttempt]);
    }),

    test('an organization has one test under way at a time, even if 20 are started at once', async (storage) => {
      const startTest = (organizationId: number, number: number) =>
        storage.outbox.startTest({ event: event(organizationId, number), claim: 'a', at: noon });
      const started = await atOnce(20, (index) => startTest(1, index));
      const [mine, ...more] = started.filter((delivery) => delivery !== null);
      expectEqual(more, []);
      expectEqual((await storage.deliveries.list({ organizationId: 1, limit: 30 })).length, 1);
      expectEqual((await startTest(2, 1))?.organizationId, 2);

      await finish(storage, { deliveryId: mine?.deliveryId ?? 0, state: 'failed' });
      expectEqual((await startTest(1, 50))?.eventId, event(1, 50).id);
    }),
  ];
}
