import type { FactorChange } from '../../users/ports/second-factors.js';
import { maxPasskeys } from '../../users/second-factor/second-factor.js';
import { aMembership, anOrganization, aUser } from '../dataset.js';
import { atOnce, type ContractTest, each, expectEqual } from '../expect.js';
import { addedBy, anAuthenticator, aPasskey, withCodes } from '../new-second-factor.js';
import { later, minutes, noon } from '../noon.js';
import { recordingJournal } from '../recording-journal.js';
import { type StartStorage, storageTests } from '../start-storage.js';

const hashes = ['r1', 'r2', 'r3'];

/** An answer of the passkey 1 to a question of noon. */
const aUse = {
  ...{ userId: 1, credentialId: 'credential-1', counter: 0, isBackedUp: true },
  ...{ askedAt: noon, at: later },
};

/** The promises of `SecondFactors`. */
export function secondFactorsSuite(start: StartStorage): readonly ContractTest[] {
  const test = storageTests(start, 'SecondFactors', async (storage) => {
    await storage.load({
      organizations: [anOrganization(1), anOrganization(2)],
      users: [aUser(1), aUser(2)],
      memberships: [2, 1].map((organizationId) => aMembership(1, { organizationId, role: 'owner' })),
    });
    for (const hash of ['own', 'other'])
      await storage.sessions.create({ hash, userId: 1, boundTo: null, createdAt: noon, passwordHash: null });
    const elsewhere = { boundTo: null, createdAt: noon, passwordHash: null };
    await storage.sessions.create({ ...elsewhere, hash: 'bound', userId: 1, boundTo: 1 });
    await storage.sessions.create({ ...elsewhere, hash: 'of 2', userId: 2 });
  });
  const nothing = { passkeys: [], code: null, recoveryCodes: 0 };

  return [
    test('a user has their own passkeys, the oldest first, and someone who does not exist has none', async (storage) => {
      const { secondFactors } = storage;
      await secondFactors.addPasskey({ ...aPasskey(2), ...addedBy(1), at: later });
      await secondFactors.addPasskey({ ...aPasskey(1), ...addedBy(1) });
      await secondFactors.addPasskey({ ...aPasskey(3), ...addedBy(2) });
      expectEqual(await secondFactors.of(1), {
        ...nothing,
        passkeys: [
          { ...aPasskey(1), createdAt: noon, usedAt: null },
          { ...aPasskey(2), createdAt: later, usedAt: null },
        ],
        recoveryCodes: 2,
      });
      expectEqual(each((await secondFactors.of(2)).passkeys, 'credentialId'), ['credential-3']);
      expectEqual(await secondFactors.of(99), nothing);
    }),

    test('nobody adds a passkey that someone has, and of 20 callers with one, one succeeds', async (storage) => {
      const { secondFactors } = storage;
      const { seen, journal } = recordingJournal<FactorChange>();
      const answers = await atOnce(20, (index) =>
        secondFactors.addPasskey({ ...aPasskey(1), ...addedBy(1 + (index % 2)) }, journal),
      );
      expectEqual(answers.filter((answer) => answer === 'registered').length, 19);
      expectEqual(seen.length, 1);
      const [one, two] = [await secondFactors.of(1), await secondFactors.of(2)];
      expectEqual(one.passkeys.length + two.passkeys.length, 1);
      expectEqual(await secondFactors.addPasskey({ ...aPasskey(2), ...addedBy(99) }), 'unknown-user');
    }),

    test('a user has at most so many passkeys', async ({ secondFactors }) => {
      await atOnce(maxPasskeys + 5, (index) =>
        secondFactors.addPasskey({ ...aPasskey(index), ...addedBy(1) }),
      );
      const { seen, journal } = recordingJournal<FactorChange>();
      const more = { ...aPasskey(99), ...addedBy(1) };
      expectEqual(await secondFactors.addPasskey(more, journal), 'too-many');
      expectEqual([(await secondFactors.of(1)).passkeys.length, seen], [maxPasskeys, []]);
    }),

    firstTest('passkey', test, async ({ secondFactors }, journal) =>
      secondFactors.addPasskey({ ...aPasskey(1), ...addedBy(1, 'own'), recoveryHashes: hashes }, journal),
    ),
    firstTest('confirmed app', test, async ({ secondFactors }, journal) => {
      await secondFactors.setCode({ userId: 1, encryptedSecret: 'sealed' });
      const added = { ...anAuthenticator, ...addedBy(1, 'own'), recoveryHashes: hashes };
      return secondFactors.confirmCode(added, journal);
    }),

    test('a further second factor changes neither sessions nor recovery codes', async (storage) => {
      const { secondFactors, sessions } = storage;
      await withCodes(storage, 1);
      const session = { hash: 'new', userId: 1, boundTo: null, createdAt: noon, passwordHash: null };
      await sessions.create({ ...session, hasSecondFactor: true });
      const { seen, journal } = recordingJournal<FactorChange>();
      const more = { ...aPasskey(1), ...addedBy(1, 'own'), recoveryHashes: hashes };
      await secondFactors.addPasskey(more, journal);
      expectEqual(each(seen, 'isOnly'), [false]);
      expectEqual((await sessions.find('new'))?.hasSecondFactor, true);
      expectEqual((await secondFactors.of(1)).recoveryCodes, 2);
    }),

    test('a use of a passkey stores its count, its time and where it is kept', async ({ secondFactors }) => {
      await secondFactors.addPasskey({ ...aPasskey(1), ...addedBy(1) });
      expectEqual(await secondFactors.usePasskey({ ...aUse, counter: 5 }), true);
      expectEqual((await secondFactors.of(1)).passkeys, [
        { ...aPasskey(1), counter: 5, isBackedUp: true, createdAt: noon, usedAt: later },
      ]);
    }),

    test('a count that does not grow is refused, and a passkey that does not count is not', async (storage) => {
      const { secondFactors } = storage;
      await secondFactors.addPasskey({ ...aPasskey(1), counter: 4, ...addedBy(1) });
      await secondFactors.addPasskey({ ...aPasskey(2), counter: 0, ...addedBy(1) });
      let minute = 0;
      const use = (credentialId: string, counter: number, userId = 1) => {
        minute += 2;
        const [askedAt, at] = [minutes(minute), minutes(minute + 1)];
        return secondFactors.usePasskey({ ...aUse, userId, credentialId, counter, askedAt, at });
      };
      const answers = [];
      for (const counter of [4, 3, 0, 5, 5]) answers.push(await use('credential-1', counter));
      expectEqual(answers, [false, false, false, true, false]);
      expectEqual([await use('credential-2', 0), await use('credential-2', 0)], [true, true]);
      expectEqual([await use('credential-2', 6, 2), await use('credential-9', 6)], [false, false]);
    }),

    test('a question that was asked before the last use is not answered', async ({ secondFactors }) => {
      await secondFactors.addPasskey({ ...aPasskey(1), counter: 0, ...addedBy(1) });
      const use = (askedAt: Date, at: Date) => secondFactors.usePasskey({ ...aUse, askedAt, at });
      expectEqual(await use(minutes(3), minutes(4)), true);
      for (const asked of [2, 3]) expectEqual(await use(minutes(asked), minutes(6)), false);
      expectEqual(each((await secondFactors.of(1)).passkeys, 'usedAt'), [minutes(4)]);
      expectEqual(await use(minutes(5), minutes(6)), true);
    }),

    test('of 20 uses of a passkey with one count, one is accepted', async ({ secondFactors }) => {
      await secondFactors.addPasskey({ ...aPasskey(1), ...addedBy(1) });
      const answers = await atOnce(20, () => secondFactors.usePasskey({ ...aUse, counter: 5 }));
      expectEqual(answers.filter((isUsed) => isUsed).length, 1);
    }),

    test('only the user renames a passkey', async ({ secondFactors }) => {
      await secondFactors.addPasskey({ ...aPasskey(1), ...addedBy(1) });
      const change = { credentialId: 'credential-1', name: 'Blue key' };
      expectEqual(await secondFactors.namePasskey({ ...change, userId: 2 }), false);
      expectEqual(each((await secondFactors.of(1)).passkeys, 'name'), ['Key 1']);
      expectEqual(await secondFactors.namePasskey({ ...change, userId: 1 }), true);
      expectEqual(each((await secondFactors.of(1)).passkeys, 'name'), ['Blue key']);
    }),

    test('a secret waits until it is confirmed, and a new one replaces only one that waits', async (storage) => {
      const { secondFactors } = storage;
      expectEqual(await secondFactors.setCode({ userId: 99, encryptedSecret: 'a' }), false);
      expectEqual(await secondFactors.setCode({ userId: 1, encryptedSecret: 'a' }), true);
      expectEqual(await secondFactors.setCode({ userId: 1, encryptedSecret: 'b' }), true);
      expectEqual((await secondFactors.of(1)).code, { encryptedSecret: 'b', confirmedAt: null });
      expectEqual(await secondFactors.useCode({ userId: 1, step: 1 }), false);
      const confirm = (encryptedSecret: string) =>
        secondFactors.confirmCode({ ...addedBy(1), encryptedSecret, step: 100 });
      expectEqual([await confirm('a'), (await confirm('b'))?.isOnly], [null, true]);
      expectEqual((await secondFactors.of(1)).code, { encryptedSecret: 'b', confirmedAt: noon });
      expectEqual(await secondFactors.setCode({ userId: 1, encryptedSecret: 'c' }), false);
      expectEqual((await secondFactors.of(1)).code?.encryptedSecret, 'b');
    }),

    test('of 20 callers that confirm a secret, one succeeds', async ({ secondFactors }) => {
      await secondFactors.setCode({ userId: 1, encryptedSecret: 'sealed' });
      const { seen, journal } = recordingJournal<FactorChange>();
      const answers = await atOnce(20, () =>
        secondFactors.confirmCode({ ...anAuthenticator, ...addedBy(1) }, journal),
      );
      expectEqual([answers.filter((answer) => answer !== null).length, seen.length], [1, 1]);
    }),

    test('a code counts once, also the one that has confirmed the secret, and none before it', async (storage) => {
      const { secondFactors } = storage;
      await withCodes(storage, 1);
      const answers = [];
      for (const step of [100, 99, 101, 101, 100, 103])
        answers.push(await secondFactors.useCode({ userId: 1, step }));
      expectEqual(answers, [false, false, true, false, false, true]);
      expectEqual(await secondFactors.useCode({ userId: 2, step: 200 }), false);
    }),

    test('of 20 callers with one code, one succeeds', async (storage) => {
      await withCodes(storage, 1);
      const answers = await atOnce(20, () => storage.secondFactors.useCode({ userId: 1, step: 101 }));
      expectEqual(answers.filter((isUsed) => isUsed).length, 1);
    }),

    test('a recovery code is that of its user, and of 20 callers with one, one succeeds', async (storage) => {
      const { secondFactors } = storage;
      for (const userId of [1, 2]) await withCodes(storage, userId);
      const use = (userId: number, hash: string) =>
        secondFactors.useRecoveryCode({ userId, hashes: ['unknown', hash] });
      expectEqual(await use(2, 'recovery 1 a'), false);
      const answers = await atOnce(20, () => use(1, 'recovery 1 a'));
      expectEqual(answers.filter((isUsed) => isUsed).length, 1);
      expectEqual(
        [(await secondFactors.of(1)).recoveryCodes, (await secondFactors.of(2)).recoveryCodes],
        [1, 2],
      );
    }),

    test('new recovery codes replace the others, for a user who has a second factor', async (storage) => {
      const { secondFactors } = storage;
      await withCodes(storage, 1);
      expectEqual(await secondFactors.setRecoveryCodes({ userId: 1, hashes }), true);
      expectEqual((await secondFactors.of(1)).recoveryCodes, 3);
      expectEqual(await secondFactors.useRecoveryCode({ userId: 1, hashes: ['recovery 1 a'] }), false);
      await secondFactors.setCode({ userId: 2, encryptedSecret: 'waits' });
      expectEqual(await secondFactors.setRecoveryCodes({ userId: 2, hashes }), false);
      expectEqual((await secondFactors.of(2)).recoveryCodes, 0);
    }),

    test('one of several is removed alone', async (storage) => {
      const { secondFactors, sessions } = storage;
      await secondFactors.addPasskey({ ...aPasskey(1), ...addedBy(1, 'own') });
      await withCodes(storage, 1);
      const { seen, journal } = recordingJournal<FactorChange>();
      const remove = (userId: number, credentialId = 'credential-1') =>
        secondFactors.remove({ userId, factor: { credentialId } }, journal);
      expectEqual([await remove(2), await remove(1, 'credential-9'), seen], [null, null, []]);
      const answers = await atOnce(20, () => remove(1));
      expectEqual([answers.filter((answer) => answer !== null).length, each(seen, 'isOnly')], [1, [false]]);
      const left = await secondFactors.of(1);
      expectEqual([left.passkeys, left.code?.encryptedSecret, left.recoveryCodes], [[], 'sealed 1', 2]);
      expectEqual((await sessions.find('own'))?.hasSecondFactor, true);
    }),

    test('with the last one, the recovery codes go, and sessions go on without', async (storage) => {
      const { secondFactors, sessions } = storage;
      for (const userId of [1, 2]) await withCodes(storage, userId, userId === 1 ? 'own' : 'of 2');
      const { seen, journal } = recordingJournal<FactorChange>();
      await secondFactors.remove({ userId: 1, factor: 'code' }, journal);
      expectEqual(seen, [{ user: aUser(1), isOnly: true, organizationIds: [1, 2] }]);
      expectEqual(await secondFactors.of(1), nothing);
      expectEqual((await sessions.find('own'))?.hasSecondFactor, false);
      expectEqual((await sessions.find('of 2'))?.hasSecondFactor, true);
      expectEqual((await secondFactors.of(2)).recoveryCodes, 2);
      expectEqual(await secondFactors.remove({ userId: 1, factor: 'code' }), null);
    }),

    test('a secret that waits goes with the last one', async (storage) => {
      const { secondFactors } = storage;
      await secondFactors.setCode({ userId: 1, encryptedSecret: 'waits' });
      expectEqual(await secondFactors.remove({ userId: 1, factor: 'everything' }), null);
      await secondFactors.addPasskey({ ...aPasskey(1), ...addedBy(1) });
      await secondFactors.remove({ userId: 1, factor: { credentialId: 'credential-1' } });
      expectEqual(await secondFactors.of(1), nothing);
    }),

    test('everything is removed at once, and the sessions that a password started end', async (storage) => {
      const { secondFactors, sessions } = storage;
      await secondFactors.addPasskey({ ...aPasskey(1), ...addedBy(1, 'own') });
      await withCodes(storage, 1);
      const { seen, journal } = recordingJournal<FactorChange>();
      const answers = await atOnce(5, () =>
        secondFactors.remove({ userId: 1, factor: 'everything' }, journal),
      );
      expectEqual([answers.filter((answer) => answer !== null).length, seen.length], [1, 1]);
      expectEqual(await secondFactors.of(1), nothing);
      const found = await Promise.all(['own', 'bound', 'of 2'].map((hash) => sessions.find(hash)));
      expectEqual(
        found.map((session) => session !== null),
        [false, true, true],
      );
    }),

    test('an organization requires it, or no longer, only if the owner who asks has one', async (storage) => {
      const { secondFactors } = storage;
      const { seen, journal } = recordingJournal<{ readonly isRequired: boolean }>();
      const require = (isRequired: boolean, organizationId = 1) =>
        secondFactors.require({ organizationId, isRequired, userId: 1 }, journal);
      await secondFactors.setCode({ userId: 1, encryptedSecret: 'waits' });
      expectEqual([await require(true), await secondFactors.isRequired(1)], ['no-second-factor', false]);
      await withCodes(storage, 1);
      expectEqual(seen, []);
      expectEqual([await require(true), await require(true)], ['done', 'done']);
      expectEqual([await secondFactors.isRequired(1), await secondFactors.isRequired(2)], [true, false]);
      expectEqual(await secondFactors.isRequired(99), false);
      await secondFactors.remove({ userId: 1, factor: 'code' });
      expectEqual([await require(false), await secondFactors.isRequired(1)], ['no-second-factor', true]);
      await withCodes(storage, 1);
      expectEqual([await require(false), await secondFactors.isRequired(1)], ['done', false]);
      expectEqual(await require(false, 99), 'unknown-organization');
      expectEqual(seen, [{ isRequired: true }, { isRequired: false }]);
    }),
  ];
}

type MakeTest = ReturnType<typeof storageTests>;
type Work = Parameters<MakeTest>[1];

/** What follows from the first one, whichever it is. */
function firstTest(
  what: string,
  test: MakeTest,
  add: (
    storage: Parameters<Work>[0],
    journal: ReturnType<typeof recordingJournal<FactorChange>>['journal'],
  ) => Promise<unknown>,
): ContractTest {
  return test(`the first ${what} ends the other sessions of a password and brings recovery codes`, async (storage) => {
    const { secondFactors, sessions } = storage;
    const { seen, journal } = recordingJournal<FactorChange>();
    const change = { user: aUser(1), isOnly: true, organizationIds: [1, 2] };
    expectEqual([await add(storage, journal), seen], [change, [change]]);
    const found = async (hash: string) => (await sessions.find(hash))?.hasSecondFactor ?? null;
    expectEqual(
      [await found('own'), await found('other'), await found('bound'), await found('of 2')],
      [true, null, false, false],
    );
    expectEqual((await secondFactors.of(1)).recoveryCodes, hashes.length);
    // A session that a password alone would start comes too late.
    const session = { hash: 'late', userId: 1, boundTo: null, createdAt: minutes(1) };
    await storage.users.setPasswordHash({ userId: 1, hash: 'password' });
    const create = (hasSecondFactor: boolean) =>
      sessions.create({ ...session, passwordHash: 'password', hasSecondFactor });
    expectEqual([await create(false), await sessions.lastSignIn(1)], [false, null]);
    expectEqual([await create(true), await found('late')], [true, true]);
    // One that was proved with what was removed meanwhile, likewise.
    await secondFactors.remove({ userId: 1, factor: 'everything' });
    expectEqual([await create(true), await create(false)], [false, true]);
  });
}
