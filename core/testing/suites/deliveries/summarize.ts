import { type ContractTest, expectEqual } from '../../expect.js';
import { minutes, noon } from '../../noon.js';
import { finished, queue, registered } from '../../queued-deliveries.js';
import type { MakeTest } from '../../start-storage.js';

export function summarizeTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('summarize counts the deliveries of an organization by state, and its tests', async (storage) => {
      const { deliveries, outbox } = storage;
      const of = (organizationId: number, newest = 10) =>
        deliveries.summarize({ organizationId, newest, since: minutes(1000) });
      const nothing = { pending: 0, failed: 0, held: 0, tests: 0, delivered: 0, skipped: 0 };
      expectEqual(await of(1), { ...nothing, hasOlder: false, hours: [] });
      await finished(storage, { number: 1, state: 'skipped' });
      await finished(storage, { number: 2, state: 'failed' });
      await finished(storage, { number: 3, state: 'failed', isTest: true });
      await finished(storage, { number: 4, state: 'delivered', at: minutes(1) });
      await registered(storage, { number: 5, at: minutes(2) });
      await outbox.hold();
      await registered(storage, { number: 6, at: minutes(3) });
      await queue(storage, { organizationId: 2, count: 1 });
      const all = { pending: 1, failed: 2, held: 1, tests: 1, delivered: 1, skipped: 1 };
      expectEqual(await of(1), { ...all, hasOlder: false, hours: [] });
      expectEqual(await of(1, 6), { ...all, hasOlder: false, hours: [] });
      expectEqual(await of(1, 3), { ...all, skipped: 0, hasOlder: true, hours: [] });
      expectEqual(await of(1, 2), { ...all, delivered: 0, skipped: 0, hasOlder: true, hours: [] });
      expectEqual(await of(2), { ...nothing, pending: 1, hasOlder: false, hours: [] });
    }),

    test('summarize counts what was delivered and what failed in each hour, without tests and older ones', async (storage) => {
      const { deliveries } = storage;
      const at = (after: number) => ({ at: minutes(after) });
      await finished(storage, { number: 1, state: 'delivered', ...at(-1) });
      await finished(storage, { number: 2, state: 'delivered', ...at(0) });
      await finished(storage, { number: 3, state: 'failed', ...at(59) });
      await finished(storage, { number: 4, state: 'failed', isTest: true, ...at(5) });
      await finished(storage, { number: 5, state: 'skipped', ...at(70) });
      await finished(storage, { number: 6, state: 'delivered', ...at(180) });
      await finished(storage, { number: 7, state: 'delivered', ...at(239) });
      const of = async (newest: number) =>
        (await deliveries.summarize({ organizationId: 1, newest, since: noon })).hours;
      const last = { from: minutes(180), delivered: 2, failed: 0 };
      expectEqual(await of(10), [{ from: noon, delivered: 1, failed: 1 }, last]);
      expectEqual(await of(4), [{ from: noon, delivered: 0, failed: 1 }, last]);
      expectEqual(await of(1), [{ ...last, delivered: 1 }]);
    }),
  ];
}
