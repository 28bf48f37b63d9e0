import type { StoragePorts } from '../../ports.js';
import type { NewMail } from '../../users/ports/mails.js';
import { anOrganization, aUser, testUuid } from '../dataset.js';
import { atOnce, type ContractTest, expectEqual } from '../expect.js';
import { later, noon } from '../noon.js';
import { type StartStorage, storageTests } from '../start-storage.js';

const [person, other] = [aUser(1), aUser(2)];
const mail: NewMail = { kind: 'password-changed', email: person.email, createdAt: noon };

const resetOf = (
  { passwordResets }: Pick<StoragePorts, 'passwordResets'>,
  hash: string,
  email = person.email,
) => passwordResets.store({ hash, email, createdAt: noon, expiresAt: later });

const use = { at: noon, passwordHash: 'new hash', mails: [mail] };

const sessionOf = (hash: string, userId: number) => ({
  ...{ hash, userId, boundTo: null, createdAt: noon, passwordHash: null },
});

/** The mails that wait, as kinds and addresses. */
async function waiting({ mails }: Pick<StoragePorts, 'mails'>) {
  const claimed = await mails.claim({ limit: 10, claim: testUuid(1), at: later, until: later });
  return claimed.map(({ kind, email }) => [kind, email]);
}

/** The promises of `PasswordResets`. */
export function passwordResetsSuite(start: StartStorage): readonly ContractTest[] {
  const test = storageTests(start, 'PasswordResets', (storage) =>
    storage.load({ organizations: [anOrganization(1)], users: [person, other] }),
  );
  return [
    test('a link is stored for the user who has the address', async (storage) => {
      expectEqual(await resetOf(storage, 'a'), person);
      expectEqual(await resetOf(storage, 'b', other.email), other);
      expectEqual(await storage.passwordResets.find('a'), { user: person, expiresAt: later });
      expectEqual(await storage.passwordResets.find('b'), { user: other, expiresAt: later });
    }),

    test('nothing is stored for an address that nobody has', async (storage) => {
      expectEqual(await resetOf(storage, 'a', 'nobody@example.test'), null);
      expectEqual(await storage.passwordResets.find('a'), null);
      expectEqual(await storage.passwordResets.redeem({ hash: 'a', ...use }), false);
    }),

    test('redeem sets the password, ends the sessions and adds the mails', async (storage) => {
      const { sessions, users, passwordResets } = storage;
      await sessions.create(sessionOf('own', person.id));
      await sessions.create(sessionOf('of another', other.id));
      await resetOf(storage, 'a');
      expectEqual(await passwordResets.redeem({ hash: 'a', ...use }), true);
      expectEqual(await users.passwordHash(person.id), 'new hash');
      expectEqual(await users.passwordHash(other.id), null);
      expectEqual(await sessions.find('own'), null);
      expectEqual((await sessions.find('of another'))?.user, other);
      expectEqual(await waiting(storage), [['password-changed', person.email]]);
    }),

    test('a link works once, and ends all links of its user', async (storage) => {
      const { users, passwordResets } = storage;
      for (const hash of ['a', 'b']) await resetOf(storage, hash);
      await resetOf(storage, 'c', other.email);
      await passwordResets.redeem({ hash: 'a', ...use });
      for (const hash of ['a', 'b']) {
        expectEqual(await passwordResets.redeem({ hash, ...use, passwordHash: 'second hash' }), false);
        expectEqual(await passwordResets.find(hash), null);
      }
      expectEqual(await users.passwordHash(person.id), 'new hash');
      expectEqual((await waiting(storage)).length, 1);
      expectEqual(await passwordResets.redeem({ hash: 'c', ...use }), true);
    }),

    test('a link stops working at the time of its expiry', async (storage) => {
      const { users, passwordResets } = storage;
      await resetOf(storage, 'a');
      expectEqual(await passwordResets.redeem({ hash: 'a', ...use, at: later }), false);
      expectEqual(await users.passwordHash(person.id), null);
      const justBefore = new Date(later.getTime() - 1);
      expectEqual(await passwordResets.redeem({ hash: 'a', ...use, at: justBefore }), true);
    }),

    test('of 20 callers at once with two links of one user, one succeeds', async (storage) => {
      for (const hash of ['a', 'b']) await resetOf(storage, hash);
      const answers = await atOnce(20, (index) =>
        storage.passwordResets.redeem({ hash: index % 2 === 0 ? 'a' : 'b', ...use }),
      );
      expectEqual(answers.filter((isRedeemed) => isRedeemed).length, 1);
      expectEqual((await waiting(storage)).length, 1);
    }),

    test('a new password or address ends the links of the user', async (storage) => {
      const { users, passwordResets } = storage;
      const { email } = person;
      const changes = [
        () => users.setPasswordHash({ userId: person.id, hash: 'first' }),
        () =>
          users.replacePasswordHash({ from: 'first', to: 'second', session: sessionOf('own', person.id) }),
        () => users.setEmail({ from: email, to: 'new@example.test' }),
      ];
      await resetOf(storage, 'of another', other.email);
      for (const [index, change] of changes.entries()) {
        await resetOf(storage, `${index}`);
        await change();
        expectEqual(await passwordResets.find(`${index}`), null);
        expectEqual(await passwordResets.redeem({ hash: `${index}`, ...use }), false);
      }
      expectEqual((await passwordResets.find('of another'))?.user, other);
    }),

    test('a refused change of the password adds no mail', async (storage) => {
      const { users } = storage;
      const session = sessionOf('own', person.id);
      await users.setPasswordHash({ userId: person.id, hash: 'first' });
      await users.replacePasswordHash({ from: 'other', to: 'second', session, mails: [mail] });
      expectEqual(await waiting(storage), []);
      await users.replacePasswordHash({ from: 'first', to: 'second', session, mails: [mail] });
      expectEqual(await waiting(storage), [['password-changed', person.email]]);
    }),
  ];
}
