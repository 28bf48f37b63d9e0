import { anOrganization, aUser } from '../dataset.js';
import { atOnce, type ContractTest, expectEqual } from '../expect.js';
import { type MakeTest, type StartStorage, storageTest } from '../start-storage.js';

const noon = new Date('2026-11-20T12:00:00.000Z');

const later = new Date('2026-11-20T12:05:00.000Z');

/** The promises of `Sessions`. */
export function sessionsSuite(start: StartStorage): readonly ContractTest[] {
  const test: MakeTest = (name, work) =>
    storageTest(start, `Sessions: ${name}`, async (started) => {
      await started.load({ organizations: [anOrganization(1)], users: [aUser(1), aUser(2)] });
      await work(started);
    });
  return [
    test('find returns the user, the binding and both times', async ({ storage: { sessions } }) => {
      await sessions.create({ hash: 'bound', userId: 1, boundTo: 1, createdAt: noon, passwordHash: null });
      await sessions.create({ hash: 'free', userId: 2, boundTo: null, createdAt: noon, passwordHash: null });
      expectEqual(await sessions.find('bound'), {
        user: aUser(1),
        boundTo: 1,
        createdAt: noon,
        seenAt: noon,
      });
      expectEqual(await sessions.find('free'), {
        user: aUser(2),
        boundTo: null,
        createdAt: noon,
        seenAt: noon,
      });
      expectEqual(await sessions.find('none'), null);
    }),

    test('a session of a user who does not exist is not created', async ({ storage: { sessions } }) => {
      const session = { hash: 'a', userId: 99, createdAt: noon };
      expectEqual(await sessions.create({ ...session, boundTo: 1, passwordHash: null }), false);
      expectEqual(await sessions.create({ ...session, boundTo: null, passwordHash: 'hash' }), false);
      expectEqual(await sessions.find('a'), null);
    }),

    test('touch moves seenAt forward and never back', async ({ storage: { sessions } }) => {
      await sessions.create({ hash: 'a', userId: 1, boundTo: null, createdAt: noon, passwordHash: null });
      await sessions.touch({ hash: 'a', at: later });
      await sessions.touch({ hash: 'a', at: noon });
      expectEqual((await sessions.find('a'))?.seenAt, later);
    }),

    test('an ended session is gone, and touch does not restore it', async ({ storage: { sessions } }) => {
      await sessions.create({ hash: 'a', userId: 1, boundTo: null, createdAt: noon, passwordHash: null });
      await sessions.end('a');
      await sessions.end('a');
      await sessions.touch({ hash: 'a', at: later });
      expectEqual(await sessions.find('a'), null);
    }),

    test('create with a password hash succeeds only while it is the user’s current hash', async ({
      storage: { sessions, users },
    }) => {
      const session = { hash: 'a', userId: 1, boundTo: null, createdAt: noon };
      expectEqual(await sessions.create({ ...session, passwordHash: 'old' }), false);
      await users.setPasswordHash({ userId: 1, hash: 'old' });
      await users.setPasswordHash({ userId: 2, hash: 'other' });
      expectEqual(await sessions.create({ ...session, passwordHash: 'other' }), false);
      expectEqual(await sessions.find('a'), null);
      expectEqual(await sessions.create({ ...session, passwordHash: 'old' }), true);
      expectEqual((await sessions.find('a'))?.user.id, 1);
    }),

    test('no session created with the old password is left after a change of the password', async ({
      storage: { sessions, users },
    }) => {
      for (let round = 0; round < 10; round += 1) {
        const [from, to] = [`old ${round}`, `new ${round}`];
        await users.setPasswordHash({ userId: 1, hash: from });
        const session = { userId: 1, boundTo: null, createdAt: noon };
        const change = () =>
          round % 2 === 0
            ? users.setPasswordHash({ userId: 1, hash: to })
            : users.replacePasswordHash({ from, to, session: { ...session, hash: `mine ${round}` } });
        const hashOf = (index: number) => `${round}/${index}`;
        await atOnce(21, (index) =>
          index === 7 ? change() : sessions.create({ ...session, hash: hashOf(index), passwordHash: from }),
        );
        const left = await atOnce(21, (index) => sessions.find(hashOf(index)));
        expectEqual(
          left.filter((found) => found !== null),
          [],
        );
      }
    }),
  ];
}
