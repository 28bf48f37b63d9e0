import { aMembership, anOrganization, aUser } from '../dataset.js';
import { atOnce, type ContractTest, expectEqual, expectOneSuccess, expectPassedOn } from '../expect.js';
import { aBoundSession, anIdentity, aSignOn, withSignOn } from '../new-sign-on.js';
import { later, minutes, noon } from '../noon.js';
import { recordingJournal } from '../recording-journal.js';
import { type MakeTest, type StartStorage, storageTests } from '../start-storage.js';

const member = { organizationId: 1, userId: 1 };
const stored = { ...anIdentity(1), usedAt: noon };
const { issuer } = aSignOn();

/** The promises of `Identities`. */
export function identitiesSuite(start: StartStorage): readonly ContractTest[] {
  const test = storageTests(start, 'Identities', async (storage) => {
    const users = Array.from({ length: 20 }, (_, index) => aUser(index + 1));
    await storage.load({
      organizations: [1, 2, 3].map((id) => anOrganization(id)),
      users,
      memberships: [
        ...users.map(({ id }) => aMembership(id)),
        aMembership(1, { organizationId: 2 }),
        aMembership(2, { organizationId: 2, role: 'owner' }),
        aMembership(1, { organizationId: 3 }),
      ],
    });
    await withSignOn(storage, [1, 2]);
  });
  return [...linkTests(test), ...endTests(test)];
}

function linkTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('an identity is found by its own organization, issuer and subject, and by its member', async (storage) => {
      const { identities } = storage;
      const key = { organizationId: 1, issuer, subject: 'subject 1' };
      expectEqual([await identities.bySubject(key), await identities.of(member)], [null, null]);
      expectEqual(await identities.link(anIdentity(1)), stored);
      expectEqual([await identities.bySubject(key), await identities.of(member)], [stored, stored]);
      for (const other of [
        { organizationId: 2 },
        { issuer: 'https://IDP.example' },
        { issuer: `${issuer}/` },
        { subject: 'Subject 1' },
        { subject: 'subject 1 ' },
        { subject: '' },
      ])
        expectEqual(await identities.bySubject({ ...key, ...other }), null);
      expectEqual(await identities.of({ organizationId: 2, userId: 1 }), null);
      expectEqual(await identities.of({ organizationId: 1, userId: 2 }), null);
    }),

    test('each organization has its own identities', async ({ identities }) => {
      const elsewhere = anIdentity(2, { organizationId: 2, subject: 'subject 1' });
      expectEqual(await identities.link(anIdentity(1)), stored);
      expectEqual(await identities.link(elsewhere), { ...elsewhere, usedAt: noon });
      const key = { issuer, subject: 'subject 1' };
      expectEqual((await identities.bySubject({ ...key, organizationId: 1 }))?.userId, 1);
      expectEqual((await identities.bySubject({ ...key, organizationId: 2 }))?.userId, 2);
    }),

    test('only a member can be linked, and only while sign-on is on with this issuer', async (storage) => {
      const { identities, signOns } = storage;
      const refused = (fields: object, why: string) =>
        identities.link(anIdentity(1, fields)).then((answer) => expectEqual(answer, why));
      await refused({ userId: 99 }, 'not-a-member');
      await refused({ organizationId: 2, userId: 3 }, 'not-a-member');
      await refused({ organizationId: 3 }, 'sign-on-off');
      await refused({ organizationId: 99 }, 'sign-on-off');
      await refused({ issuer: 'https://other.example' }, 'sign-on-off');
      await signOns.save(1, () => aSignOn({ isOn: false }));
      await refused({}, 'sign-on-off');
      expectEqual(await identities.of(member), null);
    }),

    test('a second identity of a member and a second member of an identity are refused', async (storage) => {
      const { identities } = storage;
      const { seen, journal } = recordingJournal();
      await identities.link(anIdentity(1));
      expectEqual(await identities.link(anIdentity(1, { subject: 'second' }), journal), 'member-linked');
      expectEqual(await identities.link(anIdentity(2, { subject: 'subject 1' }), journal), 'subject-linked');
      expectEqual([await identities.of(member), seen], [stored, []]);
      expectEqual(await identities.of({ organizationId: 1, userId: 2 }), null);
      expectEqual(await identities.bySubject({ organizationId: 1, issuer, subject: 'second' }), null);
    }),

    test('an identity that is linked already is returned as it is, without an entry', async ({
      identities,
    }) => {
      await identities.link(anIdentity(1));
      const { seen, journal } = recordingJournal();
      expectEqual(await identities.link(anIdentity(1, { linkedAt: later }), journal), stored);
      expectEqual(seen, []);
    }),

    test('of 20 callers that link one person to the same member, each succeeds and one is recorded', async (storage) => {
      const { seen, journal } = recordingJournal();
      const answers = await atOnce(20, () => storage.identities.link(anIdentity(1), journal));
      expectEqual(answers, Array(20).fill(stored));
      expectEqual(seen, [stored]);
    }),

    test('of 20 callers that link one person to different members, one succeeds', async ({ identities }) => {
      const answers = await atOnce(20, (index) =>
        identities.link(anIdentity(index + 1, { subject: 'the same' })),
      );
      expectOneSuccess(answers, 'subject-linked');
      const found = await atOnce(20, (index) => identities.of({ organizationId: 1, userId: index + 1 }));
      expectEqual(found.filter((one) => one !== null).length, 1);
    }),

    test('of 20 callers that link one member to different people, one succeeds', async ({ identities }) => {
      const answers = await atOnce(20, (index) => identities.link(anIdentity(1, { subject: `${index}` })));
      expectOneSuccess(answers, 'member-linked');
      const found = await atOnce(20, (index) =>
        identities.bySubject({ organizationId: 1, issuer, subject: `${index}` }),
      );
      expectEqual(found.filter((one) => one !== null).length, 1);
    }),

    test('no identity is left of those that are linked while the issuer changes', async (storage) => {
      const { identities, signOns } = storage;
      await atOnce(20, async (index) => {
        if (index === 5) await signOns.save(1, () => aSignOn({ issuer: 'https://other.example' }));
        await identities.link(anIdentity(index + 1));
      });
      const found = await atOnce(20, (index) => identities.of({ organizationId: 1, userId: index + 1 }));
      expectEqual(found, Array(20).fill(null));
    }),

    test('if the journal throws, nothing is linked or unlinked', async ({ identities }) => {
      await expectPassedOn((fail) => identities.link(anIdentity(1), fail));
      expectEqual(await identities.of(member), null);
      await identities.link(anIdentity(1));
      await expectPassedOn((fail) => identities.unlink(member, fail));
      expectEqual(await identities.of(member), stored);
    }),
  ];
}

function endTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('touch moves usedAt forward, never back, and restores nothing', async ({ identities }) => {
      const key = { organizationId: 1, issuer, subject: 'subject 1' };
      await identities.link(anIdentity(1));
      await identities.link(anIdentity(2));
      await identities.touch({ ...key, at: later });
      await identities.touch({ ...key, at: minutes(1) });
      expectEqual(await identities.of(member), { ...stored, usedAt: later });
      expectEqual((await identities.of({ organizationId: 1, userId: 2 }))?.usedAt, noon);
      await identities.unlink(member);
      await identities.touch({ ...key, at: minutes(9) });
      expectEqual(await identities.of(member), null);
    }),

    test('unlink ends the identity and what sign-on started for the member there, once', async (storage) => {
      const { identities, sessions } = storage;
      await identities.link(anIdentity(1));
      await identities.link(anIdentity(2));
      await identities.link(anIdentity(1, { organizationId: 2 }));
      for (const userId of [1, 2]) await sessions.create(aBoundSession(userId, `bound ${userId}`));
      await sessions.create({ ...aBoundSession(1, 'elsewhere'), boundTo: 2 });
      const { startedBy, sid, ...link } = aBoundSession(1, 'link');
      await sessions.create(link);
      const { seen, journal } = recordingJournal();
      const answers = await atOnce(20, () => identities.unlink(member, journal));
      expectEqual(answers.filter(Boolean).length, 1);
      expectEqual(seen, [stored]);
      expectEqual(await identities.of(member), null);
      expectEqual((await identities.of({ organizationId: 2, userId: 1 }))?.subject, 'subject 1');
      const users = ['bound 1', 'bound 2', 'elsewhere', 'link'].map(async (hash) => {
        const session = await sessions.find(hash);
        return session?.user.id ?? null;
      });
      expectEqual(await Promise.all(users), [null, 2, 1, 1]);
      expectEqual(await identities.link(anIdentity(1, { subject: 'second' })), {
        ...{ ...stored, subject: 'second' },
      });
    }),

    test('no session that sign-on starts is left of those that begin while the member is unlinked', async (storage) => {
      const { identities, sessions } = storage;
      await identities.link(anIdentity(1));
      await atOnce(20, async (index) => {
        if (index === 5) await identities.unlink(member);
        await sessions.create(aBoundSession(1, `session ${index}`));
      });
      const found = await atOnce(20, (index) => sessions.find(`session ${index}`));
      expectEqual(found, Array(20).fill(null));
    }),

    test('an identity ends with the membership, and a new membership does not restore it', async (storage) => {
      const { identities, members, load } = storage;
      await identities.link(anIdentity(1));
      await identities.link(anIdentity(1, { organizationId: 2 }));
      await members.remove({ ...member, at: later });
      expectEqual(await identities.bySubject({ organizationId: 1, issuer, subject: 'subject 1' }), null);
      await load({ memberships: [aMembership(1)] });
      expectEqual(await identities.of(member), null);
      expectEqual((await identities.of({ organizationId: 2, userId: 1 }))?.subject, 'subject 1');
    }),
  ];
}
