import { atOnce, type ContractTest, each, expectEqual, expectTrue } from '../../expect.js';
import { noon } from '../../noon.js';
import { cutOff, event, eventId, finish, plenty, queue } from '../../queued-deliveries.js';
import type { MakeTest } from '../../start-storage.js';
import { eventName } from '../../subscribe.js';

export function claimTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('claim returns pending deliveries, oldest first, and each only once', async (storage) => {
      await queue(storage, { organizationId: 1, count: 3 });
      const { outbox } = storage;
      const first = await outbox.claim({ limit: 2, perOrganization: 100, claim: 'a', at: noon });
      expectEqual(each(first, 'eventId'), [eventId(1, 0), eventId(1, 1)]);
      expectEqual(first[0], {
        deliveryId: first[0]?.deliveryId,
        claim: 'a',
        organizationId: 1,
        eventId: eventId(1, 0),
        eventName,
        body: event(1, 0).body,
        isTest: false,
      });
      const second = await outbox.claim({ ...plenty, claim: 'b', at: noon });
      expectEqual(each(second, 'eventId'), [eventId(1, 2)]);
      expectEqual(await outbox.claim({ ...plenty, claim: 'c', at: noon }), []);
    }),

    test('20 callers at once claim all deliveries, and none twice', async (storage) => {
      await queue(storage, { organizationId: 1, count: 30 });
      const claims = await atOnce(20, (index) =>
        storage.outbox.claim({ limit: 3, perOrganization: 100, claim: `claim ${index}`, at: noon }),
      );
      const claimedIds = claims.flat().map(({ deliveryId }) => deliveryId);
      expectEqual(claimedIds.length, 30);
      expectEqual(new Set(claimedIds).size, 30);
      expectTrue(
        claims.every((claimed) => claimed.length <= 3),
        'a caller got more than its limit',
      );
    }),

    test('one organization never has more than perOrganization deliveries under way', async (storage) => {
      await queue(storage, { organizationId: 1, count: 10 });
      await queue(storage, { organizationId: 2, count: 2 });
      const { outbox } = storage;
      const first = await outbox.claim({ limit: 100, perOrganization: 4, claim: 'a', at: noon });
      expectEqual(first.map(({ organizationId }) => organizationId).sort(), [1, 1, 1, 1, 2, 2]);
      expectEqual(await outbox.claim({ limit: 100, perOrganization: 4, claim: 'b', at: noon }), []);

      const done = first.find(({ organizationId }) => organizationId === 1);
      await finish(storage, { deliveryId: done?.deliveryId ?? 0, state: 'failed' });
      const next = await outbox.claim({ limit: 100, perOrganization: 4, claim: 'c', at: noon });
      expectEqual(each(next, 'eventId'), [eventId(1, 4)]);
    }),

    test('20 callers at once with 50 organizations respect perOrganization and claim no delivery twice', async (storage) => {
      for (let organizationId = 1; organizationId <= 50; organizationId += 1)
        await queue(storage, { organizationId, count: 3 });
      const { outbox } = storage;
      const claims = await atOnce(20, (index) =>
        outbox.claim({ limit: 8, perOrganization: 2, claim: `claim ${index}`, at: noon }),
      );
      const rest = await outbox.claim({ ...plenty, perOrganization: 2, claim: 'rest', at: noon });
      const claimedDeliveries = [...claims.flat(), ...rest];
      const counts = new Map<number, number>();
      for (const { organizationId: id } of claimedDeliveries) counts.set(id, (counts.get(id) ?? 0) + 1);
      expectEqual([claimedDeliveries.length, counts.size], [100, 50]);
      expectEqual(new Set(claimedDeliveries.map(({ deliveryId }) => deliveryId)).size, 100);
      expectTrue(
        [...counts.values()].every((count) => count === 2),
        'an organization has more than two',
      );
    }),

    test('a long queue whose deliveries do not end delays no other organization', async (storage) => {
      await queue(storage, { organizationId: 1, count: 20 });
      for (let organizationId = 2; organizationId <= 13; organizationId += 1)
        await queue(storage, { organizationId, count: 2 });
      const { outbox } = storage;
      const delivered: number[] = [];
      let stuck = 0;
      for (let round = 0; round < 20; round += 1) {
        const claim = `claim ${round}`;
        const claimed = await outbox.claim({ limit: 2, perOrganization: 4, claim, at: noon });
        for (const { deliveryId, organizationId } of claimed) {
          if (organizationId === 1) stuck += 1;
          else {
            delivered.push(organizationId);
            await finish(storage, { deliveryId, claim, state: 'failed' });
          }
        }
      }
      expectEqual([stuck, delivered.length, new Set(delivered).size], [4, 24, 12]);
    }),

    test('a redelivered delivery is claimed even after later ones, and so is a recovered one', async (storage) => {
      await queue(storage, { organizationId: 1, count: 3 });
      const { outbox, deliveries } = storage;
      const claimed = await outbox.claim({ ...plenty, claim: 'a', at: noon });
      const [first, second] = claimed.map(({ deliveryId }) => deliveryId);
      if (first === undefined || second === undefined) throw new Error('nothing was claimed');
      await finish(storage, { deliveryId: first, state: 'failed' });
      await deliveries.redeliver({ organizationId: 1, deliveryId: first });
      const again = await outbox.claim({ ...plenty, claim: 'b', at: noon });
      expectEqual(each(again, 'deliveryId'), [first]);
      expectEqual(await cutOff(storage), { again: 3, failed: 0 });
      const recovered = await outbox.claim({ ...plenty, claim: 'c', at: noon });
      expectEqual(each(recovered, 'deliveryId'), each(claimed, 'deliveryId'));
    }),

    test('every organization gets its turn, for its oldest delivery, before any gets a second one', async (storage) => {
      await queue(storage, { organizationId: 1, count: 20 });
      for (let organizationId = 2; organizationId <= 6; organizationId += 1)
        await queue(storage, { organizationId, count: 3 });
      const { outbox } = storage;
      const turns: string[] = [];
      for (let round = 0; turns.length < 18 && round < 18; round += 1) {
        const claim = `claim ${round}`;
        const claimed = await outbox.claim({ limit: 2, perOrganization: 4, claim, at: noon });
        for (const { deliveryId, eventId: turn } of claimed) {
          turns.push(turn);
          await finish(storage, { deliveryId, claim, state: 'failed' });
        }
      }
      const rounds = [0, 1, 2].map((round) => turns.slice(6 * round, 6 * round + 6).sort());
      expectEqual(
        rounds,
        [0, 1, 2].map((round) => [1, 2, 3, 4, 5, 6].map((organizationId) => eventId(organizationId, round))),
      );
    }),
  ];
}
