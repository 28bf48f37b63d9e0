import type { Deliveries } from '../../../webhooks/ports/deliveries.js';
import { type ContractTest, expectEqual } from '../../expect.js';
import { aNewMember, aNewUser } from '../../new-member.js';
import { later, noon } from '../../noon.js';
import {
  claimOne,
  event,
  eventId,
  finished,
  finishOldest,
  numberOf,
  numbers,
  queue,
} from '../../queued-deliveries.js';
import type { MakeTest, TestStorage } from '../../start-storage.js';

export function listTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('list selects by organization, state, time, event and kind, and is in one order', async (storage) => {
      await everyKind(storage);
      for (const [query, expected] of selections)
        expectEqual([query, await numbers(storage, query)], [query, expected]);
    }),

    test('list selects by the user that the event tells of', async (storage) => {
      await queue(storage, { organizationId: 1, count: 1 });
      await queue(storage, { organizationId: 2, count: 1, from: 10 });
      for (const [number, userId, organizationId = 1, at = noon] of [
        [1, 70],
        [2, 71],
        [3, 70, 1, later],
        [11, 70, 2],
      ] as const) {
        const about = { id: userId, uuid: eventId(9, userId), email: `user-${userId}@example.test` };
        const member = aNewMember(aNewUser(number), { organizationId, at });
        await storage.members.register(member, () => [{ ...event(organizationId, number, at), about }]);
      }
      expectEqual(await numbers(storage, { userId: 70 }), [3, 1]);
      expectEqual(await numbers(storage, { userId: 70, since: noon, until: afterNoon, limit: 1 }), [1]);
      expectEqual(await numbers(storage, { userId: 71 }), [2]);
      expectEqual(await numbers(storage, { userId: 70, organizationId: 2 }), [11]);
      expectEqual(await numbers(storage, { userId: 72 }), []);
    }),

    test('list selects by words of the member that the event tells of', async (storage) => {
      await queue(storage, { organizationId: 1, count: 1 });
      for (const [number, firstName, organizationId, eventOf] of [
        [1, 'Kim', 1, 1],
        [2, 'Ana', 1, 1],
        [3, 'Kím', 1, 1],
        // No member of the organization that is told.
        [4, 'Kim', 2, 1],
        [11, 'Kim', 2, 2],
      ] as const) {
        const member = aNewMember(aNewUser(number, { firstName }), { organizationId });
        await storage.members.register(member, ({ member: { user } }) => [
          { ...event(eventOf, number), about: user },
        ]);
      }
      expectEqual(await numbers(storage, { personWords: ['kim'] }), [3, 1]);
      expectEqual(await numbers(storage, { personWords: ['kim', 'new-3@'] }), [3]);
      expectEqual(await numbers(storage, { personWords: ['kim'], organizationId: 2 }), [11]);
      expectEqual(await numbers(storage, { personWords: ['kim'], organizationId: null }), [11, 3, 1]);
      expectEqual(await numbers(storage, { personWords: ['nobody'] }), []);
      expectEqual(await numbers(storage, { personWords: [] }), [4, 3, 2, 1, 0]);
    }),

    test('pages contain each delivery once, even with equal times, and new deliveries do not shift them', async (storage) => {
      for (let number = 1; number <= 7; number += 1)
        await finished(storage, { number, state: 'delivered', at: number > 5 ? later : noon });
      const seen: number[] = [];
      let olderThan: Parameters<Deliveries['list']>[0]['olderThan'];
      for (let page = 0; page < 4; page += 1) {
        const found = await storage.deliveries.list({ organizationId: 1, olderThan, limit: 2 });
        seen.push(...found.map(numberOf));
        olderThan = found.at(-1) ?? olderThan;
        if (page === 0) await finished(storage, { number: 8, state: 'delivered', at: later });
      }
      expectEqual(seen, [7, 6, 5, 4, 3, 2, 1]);
      expectEqual(await numbers(storage, { olderThan: { id: 1, createdAt: new Date(0) } }), []);
    }),
  ];
}

/** Organization 1 has deliveries in every state, one of them a test; organization 2 has the one with the number 10. */
async function everyKind(storage: TestStorage): Promise<void> {
  await queue(storage, { organizationId: 1, count: 5 });
  await finishOldest(storage, ['delivered', 'failed', 'skipped']);
  await claimOne(storage, 'sends', 1);
  await queue(storage, { organizationId: 2, count: 1, from: 10, at: later });
  await queue(storage, { organizationId: 1, count: 1, from: 5, at: later });
  await finished(storage, { number: 6, state: 'failed', isTest: true });
}

const afterNoon = new Date(noon.getTime() + 1);
const afterLater = new Date(later.getTime() + 1);

/** The numbers that lists of organization 1 have, unless another one is named. */
const selections: readonly (readonly [
  query: Partial<Parameters<Deliveries['list']>[0]>,
  numbers: readonly number[],
])[] = [
  [{}, [5, 6, 4, 3, 2, 1, 0]],
  [{ organizationId: 2 }, [10]],
  [{ organizationId: null }, [5, 10, 6, 4, 3, 2, 1, 0]],
  [{ state: 'delivered' }, [0]],
  [{ state: 'failed' }, [6, 1]],
  [{ state: 'skipped' }, [2]],
  [{ state: 'sending' }, [3]],
  [{ state: 'pending' }, [5, 4]],
  [{ state: 'pending', organizationId: null }, [5, 10, 4]],
  [{ since: noon }, [5, 6, 4, 3, 2, 1, 0]],
  [{ since: noon, organizationId: null }, [5, 10, 6, 4, 3, 2, 1, 0]],
  [{ since: afterNoon }, [5]],
  [{ since: afterNoon, organizationId: null }, [5, 10]],
  [{ since: afterLater }, []],
  [{ since: afterLater, organizationId: null }, []],
  [{ until: later }, [6, 4, 3, 2, 1, 0]],
  [{ until: afterLater }, [5, 6, 4, 3, 2, 1, 0]],
  [{ since: noon, until: noon }, []],
  [{ isTest: true }, [6]],
  [{ isTest: false }, [5, 4, 3, 2, 1, 0]],
  [{ eventId: eventId(1, 1) }, [1]],
  [{ eventId: eventId(1, 9) }, []],
  [{ eventId: eventId(1, 1), organizationId: 2 }, []],
  [{ eventId: eventId(1, 1), state: 'delivered' }, []],
];
