import { anOrganization, aUser } from '../dataset.js';
import { atOnce, type ContractTest, expectEqual } from '../expect.js';
import { type MakeTest, type StartStorage, storageTest } from '../start-storage.js';

const noon = new Date('2026-11-20T12:00:00.000Z');

const later = new Date('2026-11-20T12:05:00.000Z');

/** The promises of `LoginLinks`. */
export function loginLinksSuite(start: StartStorage): readonly ContractTest[] {
  const test: MakeTest = (name, work) =>
    storageTest(start, `LoginLinks: ${name}`, async (started) => {
      await started.load({ organizations: [anOrganization(1)], users: [aUser(1), aUser(2)] });
      await work(started);
    });
  return [
    test('find changes nothing, and redeem works once', async ({ storage: { loginLinks } }) => {
      const link = { organizationId: 1, userId: 1, createdAt: noon, expiresAt: later };
      await loginLinks.store({ hash: 'a', ...link });
      expectEqual(await loginLinks.find('a'), { ...link, redeemedAt: null });
      expectEqual(await loginLinks.find('a'), { ...link, redeemedAt: null });
      expectEqual(await loginLinks.redeem({ hash: 'a', at: noon }), true);
      expectEqual(await loginLinks.redeem({ hash: 'a', at: noon }), false);
      expectEqual(await loginLinks.find('a'), { ...link, redeemedAt: noon });
    }),

    test('a link for a user who does not exist is not stored', async ({ storage: { loginLinks } }) => {
      const link = { hash: 'a', organizationId: 1, userId: 99, createdAt: noon, expiresAt: later };
      expectEqual(await loginLinks.store(link), false);
      expectEqual(await loginLinks.find('a'), null);
      expectEqual(await loginLinks.store({ ...link, userId: 1 }), true);
    }),

    test('of 25 redemptions at once, one succeeds', async ({ storage: { loginLinks } }) => {
      await loginLinks.store({ hash: 'a', organizationId: 1, userId: 1, createdAt: noon, expiresAt: later });
      const answers = await atOnce(25, () => loginLinks.redeem({ hash: 'a', at: noon }));
      expectEqual(answers.filter((isRedeemed) => isRedeemed).length, 1);
    }),

    test('a link stops working at the time of its expiry', async ({ storage: { loginLinks } }) => {
      await loginLinks.store({ hash: 'a', organizationId: 1, userId: 1, createdAt: noon, expiresAt: later });
      expectEqual(await loginLinks.redeem({ hash: 'a', at: later }), false);
      expectEqual(await loginLinks.redeem({ hash: 'a', at: new Date(later.getTime() - 1) }), true);
      expectEqual(await loginLinks.redeem({ hash: 'unknown', at: noon }), false);
      expectEqual(await loginLinks.find('unknown'), null);
    }),
  ];
}
