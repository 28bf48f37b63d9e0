import { aMembership, anOrganization, aUser } from '../dataset.js';
import { atOnce, type ContractTest, expectEqual } from '../expect.js';
import { later, noon } from '../noon.js';
import { type StartStorage, storageTests } from '../start-storage.js';

const member = { organizationId: 1, userId: 1 };

/** The promises of `CalendarFeeds`. */
export function calendarFeedsSuite(start: StartStorage): readonly ContractTest[] {
  const test = storageTests(start, 'CalendarFeeds', (storage) =>
    storage.load({
      organizations: [anOrganization(1), anOrganization(2)],
      users: [aUser(1), aUser(2)],
      memberships: [1, 2].flatMap((organizationId) =>
        [1, 2].map((userId) => aMembership(userId, { organizationId })),
      ),
    }),
  );
  return [
    test('a feed is found by its own hash and its own member only', async ({ calendarFeeds }) => {
      expectEqual(await calendarFeeds.of(member), null);
      expectEqual(await calendarFeeds.create({ ...member, hash: 'a', createdAt: noon }), true);
      expectEqual(await calendarFeeds.find('a'), { ...member, createdAt: noon });
      expectEqual(await calendarFeeds.of(member), { ...member, createdAt: noon });
      expectEqual(await calendarFeeds.find('A'), null);
      expectEqual(await calendarFeeds.find(''), null);
      expectEqual(await calendarFeeds.of({ organizationId: 1, userId: 2 }), null);
      expectEqual(await calendarFeeds.of({ organizationId: 2, userId: 1 }), null);
    }),

    test('a new feed replaces the previous feed of the member, and no other feed', async (storage) => {
      const { calendarFeeds } = storage;
      const others = [
        { organizationId: 1, userId: 2, hash: 'b' },
        { organizationId: 2, userId: 1, hash: 'c' },
      ];
      for (const feed of [{ ...member, hash: 'a' }, ...others])
        await calendarFeeds.create({ ...feed, createdAt: noon });
      expectEqual(await calendarFeeds.create({ ...member, hash: 'new', createdAt: later }), true);
      expectEqual(await calendarFeeds.find('a'), null);
      expectEqual(await calendarFeeds.find('new'), { ...member, createdAt: later });
      for (const { hash, ...other } of others) {
        expectEqual(await calendarFeeds.find(hash), { ...other, createdAt: noon });
      }
    }),

    test('only a member of the organization can have a feed', async ({ calendarFeeds }) => {
      for (const stranger of [
        { organizationId: 1, userId: 99 },
        { organizationId: 99, userId: 1 },
      ]) {
        expectEqual(await calendarFeeds.create({ ...stranger, hash: 'x', createdAt: noon }), false);
        expectEqual(await calendarFeeds.find('x'), null);
      }
    }),

    test('a feed can be revoked once, and other feeds stay', async ({ calendarFeeds }) => {
      await calendarFeeds.create({ ...member, hash: 'a', createdAt: noon });
      await calendarFeeds.create({ organizationId: 2, userId: 1, hash: 'b', createdAt: noon });
      expectEqual(await calendarFeeds.revoke(member), true);
      expectEqual(await calendarFeeds.revoke(member), false);
      expectEqual([await calendarFeeds.find('a'), await calendarFeeds.of(member)], [null, null]);
      expectEqual((await calendarFeeds.find('b'))?.organizationId, 2);
    }),

    test('a feed ends with the membership, and a new membership does not restore it', async (storage) => {
      const { calendarFeeds, members, load } = storage;
      await calendarFeeds.create({ ...member, hash: 'a', createdAt: noon });
      await calendarFeeds.create({ organizationId: 2, userId: 1, hash: 'b', createdAt: noon });
      await members.remove({ ...member, at: later });
      expectEqual(await calendarFeeds.find('a'), null);
      await load({ memberships: [{ ...member, role: 'member', idpId: null }] });
      expectEqual([await calendarFeeds.find('a'), await calendarFeeds.of(member)], [null, null]);
      expectEqual((await calendarFeeds.find('b'))?.organizationId, 2);
    }),

    test('of 20 feeds of one member created at once, one is left', async ({ calendarFeeds }) => {
      await atOnce(20, (index) =>
        calendarFeeds.create({ ...member, hash: `feed ${index}`, createdAt: noon }),
      );
      const found = await atOnce(20, (index) => calendarFeeds.find(`feed ${index}`));
      expectEqual(found.filter((feed) => feed !== null).length, 1);
    }),
  ];
}
