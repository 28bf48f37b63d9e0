import { type ContractTest, expectEqual, rows } from '../../expect.js';
import { later } from '../../noon.js';
import { eventId, finished, queued, registered } from '../../queued-deliveries.js';
import { recordingJournal } from '../../recording-journal.js';
import type { MakeTest } from '../../start-storage.js';

export function dropTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('drop ends the matching held deliveries as skipped, and marks them as dropped', async (storage) => {
      const { outbox, deliveries } = storage;
      await finished(storage, { number: 1, state: 'skipped' });
      await queued(storage, { number: 2 });
      await registered(storage, { number: 3, at: later });
      await outbox.hold();
      const { seen, journal } = recordingJournal();
      expectEqual(await deliveries.drop({ organizationId: 2, states: ['held'], at: later }, journal), 0);
      const held = { organizationId: 1, states: ['held'], until: later } as const;
      expectEqual(await deliveries.drop({ ...held, at: later }, journal), 1);
      expectEqual(seen, [{ organizationId: 1, count: 1 }]);
      const shown = await deliveries.list({ organizationId: 1, limit: 9 });
      expectEqual(rows(shown, 'eventId', 'state', 'finishedAt', 'isDropped'), [
        [eventId(1, 3), 'held', null, false],
        [eventId(1, 2), 'skipped', later, true],
        [eventId(1, 1), 'skipped', later, false],
      ]);
      const deliveryId = shown[1]?.id ?? 0;
      expectEqual(await deliveries.redeliver({ organizationId: 1, deliveryId }), true);
      expectEqual((await deliveries.find({ organizationId: 1, deliveryId }))?.isDropped, false);
    }),

    test('drop ends failed deliveries, or one alone, but no tests, and keeps their attempts', async (storage) => {
      const { deliveries } = storage;
      const one = await finished(storage, { number: 1, state: 'failed' });
      await finished(storage, { number: 2, state: 'failed', at: later });
      await finished(storage, { number: 3, state: 'failed', isTest: true });
      await finished(storage, { number: 4, state: 'delivered' });
      const failed = { organizationId: 1, states: ['failed'] } as const;
      const { seen, journal } = recordingJournal();
      const at = new Date(later.getTime() + 1000);
      expectEqual(await deliveries.drop({ ...failed, deliveryId: 0, at }, journal), 0);
      expectEqual(await deliveries.drop({ ...failed, organizationId: 2, deliveryId: one, at }, journal), 0);
      expectEqual(await deliveries.drop({ ...failed, deliveryId: one, at }, journal), 1);
      const states = async () =>
        rows(await deliveries.list({ organizationId: 1, limit: 9 }), 'eventId', 'state', 'isDropped');
      expectEqual(await states(), [
        [eventId(1, 2), 'failed', false],
        [eventId(1, 4), 'delivered', false],
        [eventId(1, 3), 'failed', false],
        [eventId(1, 1), 'skipped', true],
      ]);
      const found = await deliveries.find({ organizationId: 1, deliveryId: one });
      expectEqual([found?.finishedAt, found?.attempts.length], [at, 1]);
      expectEqual(await deliveries.drop({ ...failed, at }, journal), 1);
      expectEqual(await deliveries.count(failed), 0);
      expectEqual(seen, [
        { organizationId: 1, count: 1 },
        { organizationId: 1, count: 1 },
      ]);
    }),
  ];
}
