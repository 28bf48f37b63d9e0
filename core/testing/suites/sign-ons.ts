import type { StoragePorts } from '../../ports.js';
import type { SignOn } from '../../users/ports/sign-ons.js';
import { aMembership, anOrganization, aUser } from '../dataset.js';
import { atOnce, type ContractTest, expectEqual, expectPassedOn } from '../expect.js';
import { aNewMember } from '../new-member.js';
import { aBoundSession, anIdentity, aSignOn, withSignOn } from '../new-sign-on.js';
import { later, noon } from '../noon.js';
import { recordingJournal } from '../recording-journal.js';
import { type MakeTest, type StartStorage, storageTests, type TestStorage } from '../start-storage.js';

/** The promises of `SignOns`. */
export function signOnsSuite(start: StartStorage): readonly ContractTest[] {
  const test = storageTests(start, 'SignOns', (storage) =>
    storage.load({
      organizations: [anOrganization(1), anOrganization(2)],
      users: [aUser(1), aUser(2)],
      memberships: [aMembership(1, { role: 'owner' }), aMembership(2), aMembership(1, { organizationId: 2 })],
    }),
  );
  return [...saveTests(test), ...endTests(test), ...openTests(test)];
}

function saveTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('an organization has no settings at first, and decide gets null', async ({ signOns }) => {
      expectEqual(await signOns.of(1), null);
      const seen: (SignOn | null)[] = [];
      const decide = (current: SignOn | null) => {
        seen.push(current);
        return aSignOn();
      };
      expectEqual(await signOns.save(1, decide), { organizationId: 1, ...aSignOn() });
      expectEqual(seen, [null]);
      expectEqual(await signOns.of(1), { organizationId: 1, ...aSignOn() });
      expectEqual(await signOns.of(2), null);
    }),

    test('every setting is kept, and decide gets the current ones', async ({ signOns }) => {
      const all = aSignOn({
        ...{ issuer: 'https://other.example/Ünit', clientId: 'A b', encryptedSecret: 'v1.other' },
        ...{ idClaim: 'oid', hostedDomain: 'north.example', admits: 'anyone', acr: 'urn:mfa' },
        ...{ isOn: false, isRequired: true, secretExpiresOn: '2027-01-31', changedAt: later },
        tested: { by: 1, at: later },
      });
      await signOns.save(1, () => aSignOn());
      expectEqual(await signOns.save(1, () => all), { organizationId: 1, ...all });
      expectEqual(await signOns.of(1), { organizationId: 1, ...all });
      const seen: (SignOn | null)[] = [];
      await signOns.save(1, (current) => {
        seen.push(current);
        return aSignOn();
      });
      expectEqual(seen, [{ organizationId: 1, ...all }]);
    }),

    test('of 20 changes at once, none is lost', async ({ signOns }) => {
      await atOnce(20, () =>
        signOns.save(1, (current) =>
          aSignOn({ clientId: `${current?.clientId ?? ''}x`, encryptedSecret: 'sealed' }),
        ),
      );
      expectEqual((await signOns.of(1))?.clientId, 'x'.repeat(20));
    }),

    test('an unknown organization gets no settings', async ({ signOns }) => {
      const { seen, journal } = recordingJournal();
      expectEqual(await signOns.save(99, () => aSignOn(), journal), null);
      expectEqual([seen, await signOns.of(99)], [[], null]);
    }),

    test('if decide throws, nothing is stored and the error is passed on', async ({ signOns }) => {
      const before = await signOns.save(1, () => aSignOn());
      await expectPassedOn((fail) => signOns.save(1, fail));
      expectEqual(await signOns.of(1), before);
    }),
  ];
}

/** Members 1 and 2 of organization 1 have signed on; member 1 also in organization 2. */
async function signedOn(storage: TestStorage): Promise<void> {
  const { identities, sessions } = storage;
  await withSignOn(storage, [1, 2]);
  for (const userId of [1, 2]) {
    await identities.link(anIdentity(userId));
    await sessions.create(aBoundSession(userId, `signed on ${userId}`));
  }
  await identities.link(anIdentity(1, { organizationId: 2 }));
  await sessions.create({ ...aBoundSession(1, 'signed on elsewhere'), boundTo: 2 });
  const other = { userId: 1, createdAt: noon, passwordHash: null };
  await sessions.create({ ...other, hash: 'link', boundTo: 1 });
  await sessions.create({ ...other, hash: 'password', boundTo: null });
}

const hashes = ['signed on 1', 'signed on 2', 'signed on elsewhere', 'link', 'password'];

/** Which of the sessions and identities are left. */
async function left({ sessions, identities }: StoragePorts) {
  const found = await Promise.all(hashes.map((hash) => sessions.find(hash)));
  const members = [1, 2].map((userId) => ({ organizationId: 1, userId }));
  const linked = await Promise.all(
    [...members, { organizationId: 2, userId: 1 }].map((member) => identities.of(member)),
  );
  return { sessions: found.map((one) => one !== null), identities: linked.map((one) => one !== null) };
}

const everything = { sessions: [true, true, true, true, true], identities: [true, true, true] };
const signedOff = [false, false, true, true, true];

function endTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('a change that stays on with the same issuer ends nothing', async (storage) => {
      await signedOn(storage);
      await storage.signOns.save(1, () => aSignOn({ clientId: 'other', isRequired: true }));
      expectEqual(await left(storage), everything);
    }),

    test('turning it off ends the sessions that sign-on started there, and no identity', async (storage) => {
      await signedOn(storage);
      await storage.signOns.save(1, () => aSignOn({ isOn: false }));
      expectEqual(await left(storage), { ...everything, sessions: signedOff });
    }),

    test('another issuer ends these sessions and the identities of the organization', async (storage) => {
      await signedOn(storage);
      await storage.signOns.save(1, () => aSignOn({ issuer: 'https://other.example' }));
      expectEqual(await left(storage), { sessions: signedOff, identities: [false, false, true] });
    }),

    test('if the journal throws, nothing has ended', async (storage) => {
      await signedOn(storage);
      const { signOns } = storage;
      const other = () => aSignOn({ issuer: 'https://other.example', isOn: false });
      await expectPassedOn((fail) => signOns.save(1, other, fail));
      await expectPassedOn((fail) => signOns.remove(1, fail));
      expectEqual(await left(storage), everything);
      expectEqual(await signOns.of(1), { organizationId: 1, ...aSignOn() });
    }),

    test('remove removes the settings, the identities and the sessions, once', async (storage) => {
      await signedOn(storage);
      const { signOns } = storage;
      const { seen, journal } = recordingJournal();
      const answers = await atOnce(20, () => signOns.remove(1, journal));
      expectEqual(answers.filter(Boolean).length, 1);
      expectEqual(seen, [{ organizationId: 1, ...aSignOn() }]);
      expectEqual([await signOns.of(1), (await signOns.of(2))?.isOn], [null, true]);
      expectEqual(await left(storage), { sessions: signedOff, identities: [false, false, true] });
      await signOns.save(1, () => aSignOn());
      expectEqual((await left(storage)).identities, [false, false, true]);
    }),

    test('no session that sign-on starts is left of those that begin while it is turned off', async (storage) => {
      await signedOn(storage);
      const { sessions, signOns } = storage;
      await atOnce(20, async (index) => {
        if (index === 5) await signOns.save(1, () => aSignOn({ isOn: false }));
        await sessions.create(aBoundSession(1, `session ${index}`));
      });
      const found = await atOnce(20, (index) => sessions.find(`session ${index}`));
      expectEqual(found, Array(20).fill(null));
    }),
  ];
}

function openTests(test: MakeTest): readonly ContractTest[] {
  const opened = ({ signOns }: StoragePorts) =>
    Promise.all([1, 2].map((userId) => signOns.opens({ organizationId: 1, userId })));
  return [
    test('any session opens a membership until sign-on is on and required', async (storage) => {
      const { signOns } = storage;
      expectEqual(await opened(storage), ['any', 'any']);
      await signOns.save(1, () => aSignOn());
      expectEqual(await opened(storage), ['any', 'any']);
      await signOns.save(1, () => aSignOn({ isOn: false, isRequired: true }));
      expectEqual(await opened(storage), ['any', 'any']);
      await signOns.save(1, () => aSignOn({ isRequired: true }));
      expectEqual(await opened(storage), ['sign-on', 'sign-on']);
      expectEqual(await signOns.opens({ organizationId: 2, userId: 1 }), 'any');
      expectEqual(await signOns.opens({ organizationId: 1, userId: 99 }), 'any');
    }),

    test('a membership that was made with needsSignOn opens with sign-on only, also if that is off', async (storage) => {
      const { members, signOns, load } = storage;
      await load({ users: [aUser(3)] });
      await members.register(aNewMember({ id: 3 }, { needsSignOn: true }));
      await members.register(aNewMember({ id: 3 }, { organizationId: 2 }));
      const member = { organizationId: 1, userId: 3 };
      expectEqual(await signOns.opens(member), 'sign-on');
      await signOns.save(1, () => aSignOn({ isRequired: true }));
      expectEqual(await signOns.opens(member), 'sign-on');
      expectEqual(await signOns.opens({ ...member, organizationId: 2 }), 'any');
      await members.changeRole({ ...member, role: 'owner' });
      await members.setIdpId({ ...member, idpId: 'other' });
      expectEqual(await signOns.opens(member), 'sign-on');
    }),
  ];
}
