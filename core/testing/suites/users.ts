import type { NewUser } from '../../ports.js';
import { aUser, testUuid } from '../dataset.js';
import { atOnce, type ContractTest, expectEqual, expectTrue } from '../expect.js';
import { hostileTexts } from '../hostile-texts.js';
import { type StartedStorage, type StartStorage, storageTest } from './start.js';

const createdAt = new Date('2026-11-20T12:00:00.123Z');

/** The promises of `Users`. */
export function usersSuite(start: StartStorage): readonly ContractTest[] {
  const test = (name: string, work: (started: StartedStorage) => Promise<void>) =>
    storageTest(start, `Users: ${name}`, work);
  return [
    test('create keeps every field, and byEmail gives it back', async ({ storage: { users } }) => {
      const created = await users.create(newUser(1));
      expectTrue(created !== null && created.id > 0, 'create gave no user');
      const { passwordHash, ...fields } = newUser(1);
      expectEqual(created, { id: created?.id, avatar: null, ...fields });
      expectEqual(await users.byEmail('new-1@example.test'), created);
      expectEqual(await users.byEmail('new-2@example.test'), null);
    }),

    test('of 20 users with one address created at once one is kept', async ({ storage: { users } }) => {
      const made = await atOnce(20, (index) =>
        users.create({ ...newUser(index), email: 'same@example.test' }),
      );
      const kept = made.filter((user) => user !== null);
      expectEqual(kept.length, 1);
      expectEqual(await users.byEmail('same@example.test'), kept[0]);
    }),

    test('names come back equal, whatever they hold', async ({ storage: { users } }) => {
      for (const [index, text] of hostileTexts.entries()) {
        const created = await users.create({ ...newUser(index), firstName: text, lastName: `${text}.` });
        expectEqual([created?.firstName, created?.lastName], [text, `${text}.`]);
        expectEqual(await users.byEmail(newUser(index).email), created);
      }
    }),

    test('passwordHash is null until one is set', async ({ storage: { users }, load }) => {
      await load({ users: [aUser(1)] });
      expectEqual(await users.passwordHash(1), null);
      expectEqual(await users.setPasswordHash({ userId: 1, hash: 'one' }), true);
      expectEqual(await users.passwordHash(1), 'one');
      expectEqual(await users.passwordHash(2), null);
      expectEqual(await users.setPasswordHash({ userId: 2, hash: 'two' }), false);
    }),

    test('setPasswordHash ends every session of the user and nobody else’s', async ({
      storage: { users, sessions },
      load,
    }) => {
      await load({ users: [aUser(1), aUser(2)] });
      for (const [hash, userId] of [
        ['a', 1],
        ['b', 1],
        ['c', 2],
      ] as const) {
        await sessions.open({ hash, userId, boundTo: null, openedAt: createdAt });
      }
      await users.setPasswordHash({ userId: 1, hash: 'new' });
      expectEqual(await sessions.find('a'), null);
      expectEqual(await sessions.find('b'), null);
      expectEqual((await sessions.find('c'))?.user.id, 2);
    }),
  ];
}

function newUser(number: number): NewUser {
  return {
    uuid: testUuid(number + 500),
    email: `new-${number}@example.test`,
    firstName: 'Dana',
    lastName: 'Kim',
    passwordHash: 'hash',
    createdAt,
  };
}
