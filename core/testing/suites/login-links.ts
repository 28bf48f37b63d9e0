import { aMembership, anOrganization, aUser } from '../dataset.js';
import { atOnce, type ContractTest, expectEqual } from '../expect.js';
import { later, noon } from '../noon.js';
import { type StartStorage, storageTests } from '../start-storage.js';

const link = { organizationId: 1, userId: 1, createdAt: noon, expiresAt: later };

/** The promises of `LoginLinks`. */
export function loginLinksSuite(start: StartStorage): readonly ContractTest[] {
  const test = storageTests(start, 'LoginLinks', (storage) =>
    storage.load({
      organizations: [anOrganization(1), anOrganization(2)],
      users: [aUser(1), aUser(2)],
      memberships: [aMembership(1), aMembership(2, { role: 'owner' }), aMembership(1, { organizationId: 2 })],
    }),
  );
  return [
    test('find changes nothing, and redeem works once', async ({ loginLinks }) => {
      await loginLinks.store({ hash: 'a', ...link });
      expectEqual(await loginLinks.find('a'), { ...link, redeemedAt: null });
      expectEqual(await loginLinks.find('a'), { ...link, redeemedAt: null });
      expectEqual(await loginLinks.redeem({ hash: 'a', at: noon }), true);
      expectEqual(await loginLinks.redeem({ hash: 'a', at: noon }), false);
      expectEqual(await loginLinks.find('a'), { ...link, redeemedAt: noon });
    }),

    test('a link is stored only for a member of the organization', async ({ loginLinks }) => {
      for (const stranger of [
        { organizationId: 1, userId: 99 },
        { organizationId: 2, userId: 2 },
        { organizationId: 99, userId: 1 },
      ]) {
        expectEqual(await loginLinks.store({ hash: 'a', ...link, ...stranger }), false);
        expectEqual(await loginLinks.find('a'), null);
      }
      expectEqual(await loginLinks.store({ hash: 'a', ...link, organizationId: 2 }), true);
    }),

    test('no link is left of those that are stored while the member is removed', async (storage) => {
      const { loginLinks, members } = storage;
      const hashes = Array.from({ length: 20 }, (_, index) => `link ${index}`);
      await Promise.all(
        hashes.map(async (hash, index) => {
          if (index === 5) await members.remove({ organizationId: 1, userId: 1, at: noon });
          await loginLinks.store({ hash, ...link });
        }),
      );
      for (const hash of hashes) expectEqual(await loginLinks.find(hash), null);
    }),

    test('of 25 redemptions at once, one succeeds', async ({ loginLinks }) => {
      await loginLinks.store({ hash: 'a', ...link });
      const answers = await atOnce(25, () => loginLinks.redeem({ hash: 'a', at: noon }));
      expectEqual(answers.filter((isRedeemed) => isRedeemed).length, 1);
    }),

    test('a link stops working at the time of its expiry', async ({ loginLinks }) => {
      await loginLinks.store({ hash: 'a', ...link });
      expectEqual(await loginLinks.redeem({ hash: 'a', at: later }), false);
      expectEqual(await loginLinks.redeem({ hash: 'a', at: new Date(later.getTime() - 1) }), true);
      expectEqual(await loginLinks.redeem({ hash: 'unknown', at: noon }), false);
      expectEqual(await loginLinks.find('unknown'), null);
    }),
  ];
}
