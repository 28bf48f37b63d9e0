import type { StoragePorts } from '../../../ports.js';
import type { DeliverySelection } from '../../../webhooks/ports/deliveries.js';
import { type ContractTest, expectEqual } from '../../expect.js';
import { anAuditEntry } from '../../new-audit-entry.js';
import { later, noon } from '../../noon.js';
import {
  claimOne,
  cutOff,
  eventId,
  finish,
  finished,
  finishOldest,
  numbers,
  plenty,
  queue,
  queued,
} from '../../queued-deliveries.js';
import type { MakeTest } from '../../start-storage.js';

export function redeliverMatchingTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('redeliverMatching makes failed deliveries since a time pending, and returns their number', async (storage) => {
      await queue(storage, { organizationId: 1, count: 2 });
      await queue(storage, { organizationId: 1, count: 4, from: 2, at: later });
      await queue(storage, { organizationId: 2, count: 1, at: later });
      const ends = ['delivered', 'failed', 'failed', 'failed', 'skipped', 'delivered', 'failed'] as const;
      await finishOldest(storage, ends);
      const { deliveries } = storage;
      const states = async () => {
        const all = await deliveries.list({ organizationId: null, limit: 10 });
        return Object.fromEntries(all.map((one) => [one.eventId, [one.state, one.finishedAt]]));
      };
      const redeliver = (organizationId: number | null, since: Date) =>
        deliveries.redeliverMatching({ organizationId, states: ['failed'], since });
      const before = await states();
      expectEqual(await redeliver(1, later), 2);
      const again = { [eventId(1, 2)]: ['pending', null], [eventId(1, 3)]: ['pending', null] };
      expectEqual(await states(), { ...before, ...again });

      expectEqual(await redeliver(null, noon), 2);
      const rest = { [eventId(1, 1)]: ['pending', null], [eventId(2, 0)]: ['pending', null] };
      expectEqual(await states(), { ...before, ...again, ...rest });
      expectEqual(await redeliver(null, noon), 0);
    }),

    test('redeliverMatching changes more than a thousand deliveries, and records their number in one entry', async (storage) => {
      const count = 1_100;
      await queue(storage, { organizationId: 1, count });
      for (let finished = 0; finished < count; finished += 100)
        await finishOldest(storage, Array(100).fill('failed'));
      const { deliveries, auditTrail } = storage;
      const again = () =>
        deliveries.redeliverMatching(
          { organizationId: 1, states: ['failed'], since: noon },
          ({ organizationId, count: ofOrganization }) => [
            anAuditEntry({ organizationId, subject: String(ofOrganization) }),
          ],
        );
      expectEqual(await again(), count);
      expectEqual(await deliveries.count({ organizationId: 1, states: ['failed'] }), 0);
      expectEqual(await again(), 0);
      const { total, entries } = await auditTrail.list({ organizationId: 1, offset: 0, limit: 10 });
      expectEqual([total, entries[0]?.subject], [1, String(count)]);
    }),

    test('a delivery that redeliverMatching made pending can be claimed the full number of times again', async (storage) => {
      await queue(storage, { organizationId: 1, count: 1 });
      await claimOne(storage, 'a');
      expectEqual(await cutOff(storage, 1), { again: 0, failed: 1 });
      expectEqual(await storage.deliveries.redeliverMatching({ organizationId: 1, states: ['failed'] }), 1);
      await claimOne(storage, 'b');
      expectEqual(await cutOff(storage, 2), { again: 1, failed: 0 });
    }),

    test('count and redeliverMatching select by state, time and last attempt, without tests', async (storage) => {
      const { deliveries } = storage;
      await manyEnds(storage);
      for (const [selection, expected] of selections) {
        expectEqual(
          [selection, await deliveries.count({ organizationId: 1, ...selection })],
          [selection, expected.length],
        );
        expectEqual(await deliveries.count({ organizationId: 2, ...selection }), 0);
        expectEqual(await deliveries.count({ organizationId: null, ...selection }), expected.length);
      }
      const redeliver = (organizationId: number) =>
        deliveries.redeliverMatching({ organizationId, states: ['failed'], phase: 'connect' });
      expectEqual([await redeliver(2), await redeliver(1)], [0, 1]);
      expectEqual(await numbers(storage, { state: 'pending' }), [3]);
    }),
  ];
}

/** Makes deliveries of organization 1 that ended in different ways. For each, the last attempt counts. */
async function manyEnds(storage: StoragePorts): Promise<void> {
  const { outbox, deliveries } = storage;
  const again = await finished(storage, { number: 1, state: 'failed', attempt: { status: 503 } });
  await finished(storage, { number: 2, state: 'failed', attempt: { status: 404, reason: 'answered 404' } });
  const refused = { phase: 'connect', status: null, reason: 'connection 100%_refused' } as const;
  await finished(storage, { number: 3, state: 'failed', at: later, attempt: refused });
  await finished(storage, { number: 4, state: 'skipped' });
  await finished(storage, {
    number: 5,
    state: 'delivered',
    attempt: { status: 200, reason: 'answered 200' },
  });
  await finished(storage, { number: 6, state: 'failed', isTest: true });
  await queued(storage, { number: 7 });
  await cutOff(storage, 1);
  await deliveries.redeliver({ organizationId: 1, deliveryId: again });
  await outbox.claim({ ...plenty, claim: 'a', at: noon });
  await finish(storage, { deliveryId: again, state: 'failed', attempt: { status: 500 } });
}

const selections: readonly (readonly [
  selection: Omit<DeliverySelection, 'organizationId'>,
  numbers: readonly number[],
])[] = [
  [{ states: ['failed'] }, [1, 2, 3, 7]],
  [{ states: ['failed', 'skipped', 'delivered', 'held'] }, [1, 2, 3, 4, 5, 7]],
  [{ states: [] }, []],
  [{ states: ['delivered'] }, [5]],
  [{ states: ['failed'], since: later }, [3]],
  [{ states: ['failed'], until: later }, [1, 2, 7]],
  [{ states: ['failed'], phase: 'connect' }, [3]],
  [{ states: ['failed'], status: 500 }, [1]],
  [{ states: ['failed'], status: 503 }, []],
  [{ states: ['failed', 'skipped'], reason: 'ANSWERED 4' }, [2]],
  [{ states: ['failed'], reason: 'Interrupted' }, [7]],
  [{ states: ['failed'], reason: 'cut off' }, [7]],
  [{ states: ['failed'], reason: '0%_R' }, [3]],
  [{ states: ['failed'], reason: '4_4' }, []],
  [{ states: ['failed'], reason: 'answered', phase: 'answer', status: 404 }, [2]],
];
