import { type ContractTest, expectEqual, rows } from '../../expect.js';
import { later } from '../../noon.js';
import { eventId, finished, queued, registered } from '../../queued-deliveries.js';
import { recordingJournal } from '../../recording-journal.js';
import type { MakeTest } from '../../start-storage.js';

export function dropHeldTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('dropHeld ends the held deliveries of a period as skipped, and marks them as dropped', async (storage) => {
      const { outbox, deliveries } = storage;
      await finished(storage, { number: 1, state: 'skipped' });
      await queued(storage, { number: 2 });
      await registered(storage, { number: 3, at: later });
      await outbox.hold();
      const { seen, journal } = recordingJournal();
      expectEqual(await deliveries.dropHeld({ organizationId: 2, at: later }, journal), 0);
      expectEqual(await deliveries.dropHeld({ organizationId: 1, until: later, at: later }, journal), 1);
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
  ];
}
