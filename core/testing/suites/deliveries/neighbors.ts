import { type ContractTest, expectEqual } from '../../expect.js';
import { later, noon } from '../../noon.js';
import { finished, queue } from '../../queued-deliveries.js';
import type { MakeTest } from '../../start-storage.js';

export function neighborsTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('neighbors gives the ids before and after a delivery in the order of the list', async (storage) => {
      const { deliveries } = storage;
      const last = await finished(storage, { number: 1, state: 'failed', at: later });
      const [first, second] = [
        await finished(storage, { number: 2, state: 'failed', at: noon }),
        await finished(storage, { number: 3, state: 'delivered', at: noon }),
      ];
      await queue(storage, { organizationId: 2, count: 1 });
      const of = (deliveryId: number, organizationId = 1) =>
        deliveries.neighbors({ organizationId, deliveryId });
      expectEqual(
        [await of(last), await of(second), await of(first)],
        [
          { newer: null, older: second },
          { newer: last, older: first },
          { newer: second, older: null },
        ],
      );
      const none = { newer: null, older: null };
      expectEqual([await of(first, 2), await of(first + 1000)], [none, none]);
    }),
  ];
}
