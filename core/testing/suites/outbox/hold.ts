import { type ContractTest, expectEqual, rows } from '../../expect.js';
import { later } from '../../noon.js';
import {
  cutOff,
  eventId,
  finish,
  finished,
  numbers,
  plenty,
  queued,
  registered,
} from '../../queued-deliveries.js';
import type { MakeTest } from '../../start-storage.js';

export function holdTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('hold stops pending deliveries and those under way from being sent, and records no attempt', async (storage) => {
      const { outbox, deliveries } = storage;
      await finished(storage, { number: 1, state: 'failed' });
      const underWay = await queued(storage, { number: 2 });
      await registered(storage, { number: 3 });
      expectEqual(await outbox.hold(), 2);
      const found = await deliveries.list({ organizationId: 1, state: 'held', limit: 9 });
      expectEqual(rows(found, 'eventId', 'state', 'finishedAt', 'attempts'), [
        [eventId(1, 3), 'held', null, []],
        [eventId(1, 2), 'held', null, []],
      ]);
      expectEqual(await numbers(storage, { state: 'failed' }), [1]);
      expectEqual(await outbox.claim({ ...plenty, claim: 'b', at: later }), []);
      expectEqual(await cutOff(storage), { again: 0, failed: 0 });
      expectEqual(await finish(storage, { deliveryId: underWay, state: 'delivered' }), false);
      expectEqual(await outbox.hold(), 0);
    }),
  ];
}
