import type { Deliveries, Delivery } from '../../../webhooks/ports/deliveries.js';
import { type ContractTest, expectEqual } from '../../expect.js';
import { event, finished, numbers } from '../../finished-deliveries.js';
import { claimOne, eventId, finishOldest, later, noon, queue } from '../../queue-events.js';
import type { MakeTest } from '../../start-storage.js';

export function listTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('list of all organizations is in one order', async (storage) => {
      await queue(storage, { organizationId: 1, count: 2 });
      await queue(storage, { organizationId: 2, count: 1, at: later });
      await queue(storage, { organizationId: 1, count: 1, from: 2, at: later });
      const listed = await storage.deliveries.list({ organizationId: null, limit: 10 });
      expectEqual(
        listed.map((delivery) => delivery.eventId),
        [eventId(1, 2), eventId(2, 0), eventId(1, 1), eventId(1, 0)],
      );
    }),

    test('list with a state returns only deliveries in that state', async (storage) => {
      await queue(storage, { organizationId: 1, count: 5 });
      await finishOldest(storage, ['delivered', 'failed', 'skipped']);
      await claimOne(storage, 'sends', 1);
      await queue(storage, { organizationId: 2, count: 1 });
      const { deliveries } = storage;
      const idsOf = async (query: { organizationId: number | null; state: Delivery['state'] }) =>
        (await deliveries.list({ ...query, limit: 10 })).map((delivery) => delivery.eventId);
      for (const [index, state] of (
        ['delivered', 'failed', 'skipped', 'sending', 'pending'] as const
      ).entries()) {
        expectEqual(await idsOf({ organizationId: 1, state }), [eventId(1, index)]);
      }
      expectEqual(await idsOf({ organizationId: null, state: 'pending' }), [eventId(2, 0), eventId(1, 4)]);
    }),

    test('list with since returns deliveries created at that time or later', async (storage) => {
      await queue(storage, { organizationId: 1, count: 1 });
      await queue(storage, { organizationId: 1, count: 1, from: 1, at: later });
      const { deliveries } = storage;
      const since = async (time: Date, organizationId: number | null) =>
        (await deliveries.list({ organizationId, since: time, limit: 10 })).map((one) => one.eventId);
      for (const organizationId of [1, null]) {
        expectEqual(await since(noon, organizationId), [eventId(1, 1), eventId(1, 0)]);
        expectEqual(await since(new Date(noon.getTime() + 1), organizationId), [eventId(1, 1)]);
        expectEqual(await since(new Date(later.getTime() + 1), organizationId), []);
      }
    }),

    test('list with isTest returns only tests, or no tests', async (storage) => {
      await finished(storage, { number: 1, state: 'failed' });
      await finished(storage, { number: 2, state: 'failed', isTest: true });
      expectEqual(await numbers(storage, { isTest: true }), [2]);
      expectEqual(await numbers(storage, { isTest: false }), [1]);
      expectEqual(await numbers(storage, {}), [2, 1]);
    }),

    test('list with an event id returns that event, in its own organization only', async (storage) => {
      await finished(storage, { number: 1, state: 'failed' });
      await finished(storage, { number: 2, state: 'failed' });
      expectEqual(await numbers(storage, { eventId: event(1, 1).id }), [1]);
      expectEqual(await numbers(storage, { eventId: event(1, 9).id }), []);
      expectEqual(await numbers(storage, { eventId: event(1, 1).id, organizationId: 2 }), []);
      expectEqual(await numbers(storage, { eventId: event(1, 1).id, state: 'delivered' }), []);
    }),

    test('list with until returns deliveries created before that time', async (storage) => {
      await finished(storage, { number: 1, state: 'failed' });
      await finished(storage, { number: 2, state: 'failed', at: later });
      expectEqual(await numbers(storage, { until: later }), [1]);
      expectEqual(await numbers(storage, { until: new Date(later.getTime() + 1) }), [2, 1]);
      expectEqual(await numbers(storage, { since: noon, until: noon }), []);
    }),

    test('pages contain each delivery once, even with equal times, and new deliveries do not shift them', async (storage) => {
      for (let number = 1; number <= 7; number += 1)
        await finished(storage, { number, state: 'delivered', at: number > 5 ? later : noon });
      const seen: number[] = [];
      let olderThan: Parameters<Deliveries['list']>[0]['olderThan'];
      for (let page = 0; page < 4; page += 1) {
        const found = await storage.deliveries.list({ organizationId: 1, olderThan, limit: 2 });
        seen.push(...found.map(({ body }) => Number(body)));
        olderThan = found.at(-1) ?? olderThan;
        if (page === 0) await finished(storage, { number: 8, state: 'delivered', at: later });
      }
      expectEqual(seen, [7, 6, 5, 4, 3, 2, 1]);
      expectEqual(await numbers(storage, { olderThan: { id: 1, createdAt: new Date(0) } }), []);
    }),
  ];
}
