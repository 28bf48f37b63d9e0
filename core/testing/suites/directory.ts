import type { StoragePorts } from '../../ports.js';
import type { DirectoryChange, DirectoryPerson } from '../../users/ports/directory.js';
import { aMembership, anOrganization, aUser, testUuid } from '../dataset.js';
import {
  atOnce,
  type ContractTest,
  each,
  expectEqual,
  expectOneSuccess,
  expectPassedOn,
  rows,
} from '../expect.js';
import { aNewPerson, anEntry, changeOf, instead, newIds, uuidOf, written } from '../new-directory-person.js';
import { anInvitation } from '../new-invitation.js';
import { aNewMember, aNewUser } from '../new-member.js';
import { aBoundSession, anIdentity, withSignOn } from '../new-sign-on.js';
import { later, minutes, noon } from '../noon.js';
import { recordingJournal } from '../recording-journal.js';
import { type MakeTest, type StartStorage, storageTests } from '../start-storage.js';

const inactive = instead({ isActive: false });
const active = instead({ isActive: true });

/**
 * The promises of `Directory`. User 1 is the only owner of organization 1, user 2 an admin, and users 3 and 4 members.
 * Organization 2 has users 5 and 1.
 */
export function directorySuite(start: StartStorage): readonly ContractTest[] {
  const test = storageTests(start, 'Directory', (storage) =>
    storage.load({
      organizations: [anOrganization(1), anOrganization(2)],
      users: [1, 2, 3, 4, 5].map((id) => aUser(id)),
      memberships: [
        aMembership(1, { role: 'owner' }),
        aMembership(2, { role: 'admin' }),
        aMembership(3, { idpId: 'idp-3' }),
        aMembership(4),
        aMembership(5, { organizationId: 2 }),
        aMembership(1, { organizationId: 2, role: 'owner' }),
      ],
    }),
  );
  return [
    ...findTests(test),
    ...createTests(test),
    ...changeTests(test),
    ...deactivateTests(test),
    ...restoreTests(test),
    ...removeTests(test),
    ...requestTests(test),
  ];
}

/** What the tests compare of a person. */
function seen(person: DirectoryPerson | string | null): unknown {
  if (person === null || typeof person === 'string') return person;
  const { uuid, userName, externalId, email, isActive, isWritten, member } = person;
  return { uuid, userName, externalId, email, isActive, isWritten, userId: member?.user.id ?? null };
}

const memberOf = (storage: StoragePorts, userId: number, organizationId = 1) =>
  storage.members.byUserId({ organizationId, userId });

const created = async (storage: StoragePorts, number: number, fields = {}): Promise<DirectoryPerson> => {
  const person = await storage.directory.create(aNewPerson(number, fields));
  if (typeof person === 'string') throw new Error(`not created: ${person}`);
  return person;
};

function findTests(test: MakeTest): readonly ContractTest[] {
  const three = {
    ...{ uuid: testUuid(3), userName: 'user-3@example.test', externalId: 'idp-3' },
    ...{ email: 'user-3@example.test', isActive: true, isWritten: false, userId: 3 },
  };
  return [
    test('a member whom the directory has not written is what the membership says', async ({ directory }) => {
      const found = [
        await directory.byUuid({ organizationId: 1, uuid: testUuid(3) }),
        await directory.byUserName({ organizationId: 1, userName: 'USER-3@example.test' }),
        await directory.byExternalId({ organizationId: 1, externalId: 'idp-3' }),
        await directory.byEmail({ organizationId: 1, email: 'User-3@EXAMPLE.test' }),
      ];
      expectEqual(found.map(seen), Array(4).fill(three));
      expectEqual([found[0]?.givenName, found[0]?.familyName], ['First3', 'Last3']);
    }),

    test('only people of the organization are found', async ({ directory }) => {
      const key = { organizationId: 1 };
      for (const found of [
        await directory.byUuid({ ...key, uuid: testUuid(5) }),
        await directory.byUserName({ ...key, userName: 'user-5@example.test' }),
        await directory.byEmail({ ...key, email: 'user-5@example.test' }),
        await directory.byExternalId({ organizationId: 2, externalId: 'idp-3' }),
        await directory.byExternalId({ ...key, externalId: 'IDP-3' }),
      ])
        expectEqual(found, null);
    }),

    test('a written person is found by what was written, and not by the account', async (storage) => {
      const { directory } = storage;
      const key = { organizationId: 1, uuid: testUuid(3), at: noon, ids: newIds(1) };
      await storage.users.setPasswordHash({ userId: 3, hash: 'hash' });
      await directory.change(key, () =>
        written(anEntry(3, { userName: 'Ünal', externalId: 'other', email: 'N@example.test' })),
      );
      const uuids = [
        await directory.byUserName({ organizationId: 1, userName: 'u\u0308NAL' }),
        await directory.byExternalId({ organizationId: 1, externalId: 'other' }),
        await directory.byEmail({ organizationId: 1, email: 'n@example.test' }),
        await directory.byUserName({ organizationId: 1, userName: 'user-3@example.test' }),
        await directory.byExternalId({ organizationId: 1, externalId: 'idp-3' }),
        await directory.byEmail({ organizationId: 1, email: 'user-3@example.test' }),
      ].map((person) => person?.uuid ?? null);
      expectEqual(uuids, [testUuid(3), testUuid(3), testUuid(3), null, null, null]);
    }),

    test('everyone is listed in one order, with the number of all, and counted', async (storage) => {
      const { directory } = storage;
      await created(storage, 1, { isActive: false });
      await created(storage, 2, { userName: 'five', email: 'user-5@example.test' });
      const list = (offset: number, limit: number) => directory.list({ organizationId: 1, offset, limit });
      const all = await list(0, 200);
      expectEqual(each(all.people, 'uuid'), [1, 2, 3, 4].map(testUuid).concat(uuidOf(1), uuidOf(2)));
      expectEqual(all.total, 6);
      const parts = await Promise.all([0, 2, 4, 6].map((offset) => list(offset, 2)));
      expectEqual(
        parts.map(({ total, people }) => [total, people.length]),
        [
          [6, 2],
          [6, 2],
          [6, 2],
          [6, 0],
        ],
      );
      expectEqual(
        parts.flatMap(({ people }) => people),
        all.people,
      );
      expectEqual(await list(0, 0), { total: 6, people: [] });
      expectEqual(await directory.counts(1), { active: 4, inactive: 1, withoutIdpId: 3, invited: 1 });
      expectEqual((await directory.list({ organizationId: 2, offset: 0, limit: 9 })).total, 2);
      expectEqual((await directory.counts(2)).inactive, 0);
    }),

    test('listInactive lists those who are inactive and no members, by the bytes of their names', async (storage) => {
      const { directory } = storage;
      const names = ['b', 'C', 'a', 'd', 'ä', 'a-b', 'aa'];
      const isActive = (userName: string): boolean => ['b', 'C', 'd'].includes(userName);
      for (const [index, userName] of names.entries())
        await directory.create(aNewPerson(index + 1, { userName, isActive: isActive(userName) }));
      await directory.create(aNewPerson(9, { isActive: false }, 2));
      for (const number of [1, 2]) await directory.change(changeOf(number), instead({ isActive: false }));
      const listed = async (limit = 9) =>
        each(await directory.listInactive({ organizationId: 1, limit }), 'userName');
      expectEqual(await listed(), ['a', 'a-b', 'aa', 'b', 'C', 'ä']);
      expectEqual([await listed(2), (await directory.counts(1)).inactive], [['a', 'a-b'], 6]);
      const [first] = await directory.listInactive({ organizationId: 1, limit: 1 });
      const entry = anEntry(3, { userName: 'a', isActive: false });
      expectEqual(first, { organizationId: 1, uuid: uuidOf(3), ...entry });
      await directory.change(changeOf(1), instead({ isActive: true }));
      await directory.remove({ organizationId: 1, uuid: uuidOf(3), at: later });
      expectEqual(await listed(), ['a-b', 'aa', 'C', 'ä']);
    }),
  ];
}

function createTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('an unknown address becomes an account without a password and a membership', async (storage) => {
      const { seen: changes, journal } = recordingJournal<DirectoryChange>();
      const person = await storage.directory.create(aNewPerson(1), journal);
      if (typeof person === 'string') throw new Error(person);
      const { member, ...rest } = person;
      expectEqual(rest, { organizationId: 1, uuid: uuidOf(1), ...anEntry(1), isWritten: true });
      expectEqual(
        [member?.uuid, member?.role, member?.idpId, member?.joinedAt, member?.user.email, member?.user.uuid],
        [uuidOf(1), 'member', 'ext-1', noon, 'person-1@example.test', uuidOf(1)],
      );
      const userId = member?.user.id ?? 0;
      expectEqual(await storage.users.passwordHash(userId), null);
      expectEqual(await storage.signOns.opens({ organizationId: 1, userId }), 'sign-on');
      expectEqual(
        changes.map(({ before, person: after, registered, ...change }) => [
          ...[before, after, registered?.user.id, change.organization.id, change.ended, change.invited],
        ]),
        [[null, person, userId, 1, null, null]],
      );
    }),

    test('a member whom the directory has not written gets the entry', async (storage) => {
      const matches = [
        { externalId: 'idp-3', userName: 'a', email: 'a@example.test' },
        { userName: 'User-2@example.test', email: null },
        { userName: 'b', email: 'USER-4@example.test' },
      ];
      const uuids: string[] = [];
      for (const [index, fields] of matches.entries())
        uuids.push((await created(storage, index, fields)).uuid);
      expectEqual(uuids, [3, 2, 4].map(testUuid));
      expectEqual((await memberOf(storage, 2))?.role, 'admin');
      expectEqual((await memberOf(storage, 4))?.idpId, 'ext-2');
      expectEqual(await storage.signOns.opens({ organizationId: 1, userId: 4 }), 'any');
      expectEqual((await storage.directory.list({ organizationId: 1, offset: 0, limit: 9 })).total, 4);
    }),

    test('an address with an account elsewhere is invited and gets no membership', async (storage) => {
      const { seen: changes, journal } = recordingJournal<DirectoryChange>();
      const fresh = aNewPerson(1, { userName: 'five', email: 'user-5@example.test' });
      const person = await storage.directory.create(fresh, journal);
      expectEqual(seen(person), {
        ...{ uuid: uuidOf(1), userName: 'five', externalId: 'ext-1', email: 'user-5@example.test' },
        ...{ isActive: true, isWritten: true, userId: null },
      });
      const invitation = await storage.invitations.byUserUuid({ organizationId: 1, uuid: uuidOf(1) });
      expectEqual(
        [
          invitation?.email,
          invitation?.idpId,
          invitation?.role,
          invitation?.invitedBy,
          invitation?.revokedAt,
        ],
        ['user-5@example.test', 'ext-1', 'member', { kind: 'directory' }, null],
      );
      expectEqual(rows(changes, 'invited', 'registered'), [[invitation, null]]);
      expectEqual((await storage.users.byEmail('user-5@example.test'))?.firstName, 'First5');
      const accepted = aNewMember({ id: 5 }, { invitationId: invitation?.id ?? '' });
      await storage.members.register(accepted);
      expectEqual(
        (await storage.directory.byUuid({ organizationId: 1, uuid: uuidOf(1) }))?.member?.idpId,
        'ext-1',
      );
    }),

    test('a pending invitation of the address gives its UUID', async (storage) => {
      const { invitations, directory } = storage;
      await invitations.findOrCreatePending(
        anInvitation(1, { email: 'person-1@example.test', role: 'admin' }),
      );
      await invitations.findOrCreatePending(anInvitation(2, { email: 'user-5@example.test' }));
      const joined = await created(storage, 1);
      expectEqual([joined.uuid, joined.member?.role], [testUuid(2001), 'member']);
      expectEqual((await invitations.byId(anInvitation(1).id))?.acceptedAt, noon);
      const waiting = await created(storage, 2, { userName: 'five', email: 'user-5@example.test' });
      expectEqual([waiting.uuid, waiting.member], [testUuid(2002), null]);
      expectEqual((await invitations.byId(anInvitation(2).id))?.idpId, 'ext-2');
      expectEqual((await directory.counts(1)).invited, 1);
    }),

    test('an inactive entry revokes the pending invitation of its address', async (storage) => {
      const { seen: changes, journal } = recordingJournal<DirectoryChange>();
      await storage.invitations.findOrCreatePending(anInvitation(1, { email: 'person-1@example.test' }));
      await storage.directory.create(aNewPerson(1, { isActive: false }), journal);
      const revoked = await storage.invitations.byId(anInvitation(1).id);
      expectEqual([revoked?.revokedAt, each(changes, 'revoked')], [noon, [revoked]]);
    }),

    test('an inactive entry is only kept', async (storage) => {
      const person = await created(storage, 1, { isActive: false });
      expectEqual([person.isActive, person.member, person.isWritten], [false, null, true]);
      expectEqual(await storage.users.byEmail('person-1@example.test'), null);
      const five = { userName: 'five', email: 'user-5@example.test', isActive: false };
      await created(storage, 2, five);
      expectEqual(await storage.invitations.byUserUuid({ organizationId: 1, uuid: uuidOf(2) }), null);
    }),

    test('what another person has is refused, in any case of letters', async (storage) => {
      await created(storage, 1);
      await storage.invitations.findOrCreatePending(anInvitation(1, { idpId: 'invited' }));
      const { seen: changes, journal } = recordingJournal();
      const refused = async (fields: object, why: string): Promise<void> =>
        expectEqual(await storage.directory.create(aNewPerson(9, fields), journal), why);
      await refused({ userName: 'PERSON-1@example.TEST' }, 'user-name-taken');
      await refused({ externalId: 'ext-1' }, 'external-id-taken');
      await refused({ externalId: 'invited' }, 'external-id-taken');
      await refused({ email: 'PERSON-1@example.test' }, 'email-taken');
      await refused({ userName: 'user-2@example.test', email: null, externalId: 'idp-3' }, 'user-name-taken');
      expectEqual(changes, []);
      expectEqual(
        await storage.directory.byUserName({ organizationId: 1, userName: anEntry(9).userName }),
        null,
      );
      expectEqual(typeof (await storage.directory.create(aNewPerson(9, {}, 2))), 'object');
    }),

    test('two organizations can write the same names and ids', async (storage) => {
      await created(storage, 1);
      const elsewhere = await storage.directory.create(
        aNewPerson(9, { ...anEntry(1), email: 'other@example.test' }, 2),
      );
      expectEqual(seen(elsewhere), {
        ...{ uuid: uuidOf(9), userName: anEntry(1).userName, externalId: 'ext-1', isWritten: true },
        ...{ email: 'other@example.test', isActive: true },
        userId: typeof elsewhere === 'string' ? '' : elsewhere.member?.user.id,
      });
    }),

    test('of 20 callers with one userName, externalId or address, one succeeds', async (storage) => {
      const { directory } = storage;
      const same = [
        ['user-name-taken', (index: number) => aNewPerson(index, { userName: 'same' })],
        ['external-id-taken', (index: number) => aNewPerson(100 + index, { externalId: 'same' })],
        ['email-taken', (index: number) => aNewPerson(200 + index, { email: 'same@example.test' })],
      ] as const;
      for (const [why, fresh] of same)
        expectOneSuccess(await atOnce(20, (index) => directory.create(fresh(index))), why);
      expectEqual((await directory.list({ organizationId: 1, offset: 0, limit: 200 })).total, 7);
    }),

    test('of the directory and a registration at once, the address gets one membership', async (storage) => {
      const { directory, members } = storage;
      const answers = await atOnce(10, async (index) =>
        index % 2 === 0
          ? directory.create(aNewPerson(index, { email: 'same@example.test' }))
          : members.register(aNewMember(aNewUser(100 + index, { email: 'same@example.test' }))),
      );
      const listed = await directory.list({ organizationId: 1, offset: 0, limit: 200 });
      expectEqual(listed.total, 5);
      expectEqual(answers.filter((answer) => typeof answer === 'object').length >= 1, true);
    }),

    test('if the journal throws, nothing is kept', async (storage) => {
      const { directory, users } = storage;
      await expectPassedOn((fail) => directory.create(aNewPerson(1), fail));
      expectEqual(await directory.byUuid({ organizationId: 1, uuid: uuidOf(1) }), null);
      expectEqual(await users.byEmail('person-1@example.test'), null);
    }),

    test('an unknown organization has no directory', async ({ directory }) => {
      expectEqual(await directory.create(aNewPerson(1, {}, 99)), 'unknown-organization');
      expectEqual(await directory.change(changeOf(1, { organizationId: 99 }), active), 'unknown');
      expectEqual(await directory.list({ organizationId: 99, offset: 0, limit: 9 }), {
        total: 0,
        people: [],
      });
    }),
  ];
}

function changeTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('decide gets the person, and the entry and the idpId of the member change', async (storage) => {
      const before = await created(storage, 1);
      const got: DirectoryPerson[] = [];
      const { seen: changes, journal } = recordingJournal<DirectoryChange>();
      const person = await storage.directory.change(
        changeOf(1),
        (current) => {
          got.push(current);
          return instead({ userName: 'renamed', externalId: 'new' })(current);
        },
        journal,
      );
      expectEqual(got, [before]);
      expectEqual(
        typeof person === 'string' ? person : [person.uuid, person.userName, person.member?.idpId],
        [...[uuidOf(1), 'renamed', 'new']],
      );
      expectEqual(rows(changes, 'before', 'person', 'registered'), [[before, person, null]]);
      expectEqual(
        await storage.directory.byUserName({ organizationId: 1, userName: anEntry(1).userName }),
        null,
      );
    }),

    test('the same entry again makes no journal', async (storage) => {
      const before = await created(storage, 1);
      const { seen: changes, journal } = recordingJournal();
      expectEqual(await storage.directory.change(changeOf(1, { at: later }), active, journal), before);
      expectEqual(changes, []);
    }),

    test('an externalId that ends takes the idpId along, and not one that others have set', async (storage) => {
      const { directory, members } = storage;
      await created(storage, 1);
      await directory.change(changeOf(1), instead({ externalId: null }));
      expectEqual((await directory.byUuid({ organizationId: 1, uuid: uuidOf(1) }))?.member?.idpId, null);
      await created(storage, 3, { userName: 'user-3@example.test', email: null, externalId: null });
      expectEqual((await memberOf(storage, 3))?.idpId, 'idp-3');
      expectEqual(
        typeof (await members.setIdpId({ organizationId: 1, userId: 3, idpId: 'by hand' })),
        'object',
      );
    }),

    test('an idpId that the directory keeps is not set by others', async (storage) => {
      const { directory, members } = storage;
      const { member } = await created(storage, 1);
      const userId = member?.user.id ?? 0;
      const { seen: changes, journal } = recordingJournal();
      const set = (idpId: string | null) => members.setIdpId({ organizationId: 1, userId, idpId }, journal);
      expectEqual([await set('other'), await set(null)], ['kept-by-directory', 'kept-by-directory']);
      expectEqual([(await memberOf(storage, userId))?.idpId, changes], ['ext-1', []]);
      await directory.remove(changeOf(1));
      expectEqual(await set('other'), 'not-a-member');
    }),

    test('a change to what another person has is refused, and nothing changes', async (storage) => {
      const { directory } = storage;
      await created(storage, 1);
      const before = await created(storage, 2);
      for (const [fields, why] of [
        [{ userName: 'PERSON-1@example.test' }, 'user-name-taken'],
        [{ userName: 'user-4@example.test' }, 'user-name-taken'],
        [{ externalId: 'ext-1' }, 'external-id-taken'],
        [{ externalId: 'idp-3' }, 'external-id-taken'],
        [{ email: 'person-1@example.test' }, 'email-taken'],
        [{ email: 'user-4@example.test' }, 'email-taken'],
      ] as const)
        expectEqual(await directory.change(changeOf(2), instead({ ...fields, isActive: false })), why);
      expectEqual(await directory.byUuid({ organizationId: 1, uuid: uuidOf(2) }), before);
    }),

    test('an account that nobody else uses gets the new address and name', async (storage) => {
      const { member } = await created(storage, 1);
      const { seen: changes, journal } = recordingJournal<DirectoryChange>();
      const fields = { givenName: 'Bo', familyName: 'Smith', email: 'bo@example.test' };
      const changed = await storage.directory.change(changeOf(1), instead(fields), journal);
      const user = typeof changed === 'string' ? null : changed.member?.user;
      expectEqual(
        [user?.id, user?.firstName, user?.lastName, user?.email],
        [...[member?.user.id, 'Bo', 'Smith', 'bo@example.test']],
      );
      expectEqual(each(changes, 'account'), [{ before: member?.user, after: user }]);
    }),

    test('an account that the directory made stays as it is with a password, elsewhere, or with a role', async (storage) => {
      const { directory, members, users } = storage;
      const userIdOf = async (number: number) => (await created(storage, number)).member?.user.id ?? 0;
      const [first, second, third] = [await userIdOf(1), await userIdOf(2), await userIdOf(3)];
      await users.setPasswordHash({ userId: first, hash: 'hash' });
      await members.register(aNewMember({ id: second }, { organizationId: 2 }));
      await members.changeRole({ organizationId: 1, userId: third, role: 'admin' });
      for (const [number, userId] of [first, second, third].map((id, index) => [index + 1, id] as const)) {
        const before = (await memberOf(storage, userId))?.user;
        const fields = { givenName: 'Bo', email: `bo-${number}@example.test` };
        await directory.change(changeOf(number), instead(fields));
        expectEqual((await memberOf(storage, userId))?.user, before);
      }
    }),

    test('an account with a password or in another organization stays as it is', async (storage) => {
      const { directory, users } = storage;
      const fields = { givenName: 'Bo', email: 'bo@example.test', externalId: null };
      await users.setPasswordHash({ userId: 4, hash: 'hash' });
      for (const userId of [4, 1]) {
        const before = (await memberOf(storage, userId))?.user;
        const key = changeOf(1, { uuid: testUuid(userId) });
        const person = await directory.change(
          key,
          instead({ ...fields, email: `bo-${userId}@example.test` }),
        );
        expectEqual(typeof person === 'string' ? person : [person.givenName, person.member?.user], [
          'Bo',
          before,
        ]);
      }
    }),

    test('the account of an admin, or of a membership made in another way, stays as it is', async (storage) => {
      for (const userId of [2, 3]) {
        const before = (await memberOf(storage, userId))?.user;
        const fields = { givenName: 'Bo', email: `bo-${userId}@example.test` };
        await storage.directory.change(changeOf(1, { uuid: testUuid(userId) }), instead(fields));
        expectEqual((await memberOf(storage, userId))?.user, before);
      }
    }),

    test('a taken address and what has not changed are left to the account', async (storage) => {
      const { directory, users } = storage;
      const { member } = await created(storage, 1);
      const userId = member?.user.id ?? 0;
      await users.setName({ userId, firstName: 'By', lastName: 'Hand' });
      await directory.change(changeOf(1), instead({ email: 'user-5@example.test' }));
      const user = (await memberOf(storage, userId))?.user;
      expectEqual([user?.firstName, user?.lastName, user?.email], ['By', 'Hand', 'person-1@example.test']);
    }),

    test('of 20 changes at once, none is lost', async (storage) => {
      const { directory } = storage;
      await created(storage, 1, { displayName: '' });
      await atOnce(20, () =>
        directory.change(changeOf(1), (current) =>
          instead({ displayName: `${current.displayName}x` })(current),
        ),
      );
      const person = await directory.byUuid({ organizationId: 1, uuid: uuidOf(1) });
      expectEqual(person?.displayName, 'x'.repeat(20));
    }),

    test('if decide or the journal throws, nothing is stored and the error is passed on', async (storage) => {
      const { directory } = storage;
      const before = await created(storage, 1);
      await expectPassedOn((fail) => directory.change(changeOf(1), fail));
      await expectPassedOn((fail) => directory.change(changeOf(1), inactive, fail));
      expectEqual(await directory.byUuid({ organizationId: 1, uuid: uuidOf(1) }), before);
    }),

    test('only the own organization changes a person', async (storage) => {
      const { directory } = storage;
      const before = await created(storage, 1);
      expectEqual(await directory.change(changeOf(1, { organizationId: 2 }), inactive), 'unknown');
      expectEqual(await directory.remove(changeOf(1, { organizationId: 2 })), 'unknown');
      expectEqual(await directory.byUuid({ organizationId: 1, uuid: uuidOf(1) }), before);
    }),
  ];
}

/** Gives the member a session, a login link and a calendar feed, each named after the member. */
async function withAccess(storage: StoragePorts, userId: number): Promise<void> {
  await withSignOn(storage, [1]);
  await storage.identities.link(anIdentity(userId));
  await storage.sessions.create(aBoundSession(userId, `session ${userId}`));
  const account = { hash: `account ${userId}`, userId, boundTo: null, createdAt: noon, passwordHash: null };
  await storage.sessions.create(account);
  const link = { hash: `link ${userId}`, organizationId: 1, userId, createdAt: noon, expiresAt: later };
  await storage.loginLinks.store(link);
  await storage.calendarFeeds.create({ organizationId: 1, userId, hash: `feed ${userId}`, createdAt: noon });
}

async function accessOf(storage: StoragePorts, userId: number): Promise<readonly boolean[]> {
  return [
    (await storage.sessions.find(`session ${userId}`)) !== null,
    (await storage.sessions.find(`account ${userId}`)) !== null,
    (await storage.loginLinks.find(`link ${userId}`)) !== null,
    (await storage.calendarFeeds.find(`feed ${userId}`)) !== null,
  ];
}

function deactivateTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('an inactive entry ends the membership, the sessions there, the links and the feed', async (storage) => {
      const { directory, members, identities } = storage;
      await withAccess(storage, 4);
      await withAccess(storage, 3);
      const before = await memberOf(storage, 4);
      const { seen: changes, journal } = recordingJournal<DirectoryChange>();
      const person = await directory.change(changeOf(1, { uuid: testUuid(4), at: later }), inactive, journal);
      expectEqual(seen(person), {
        ...{ uuid: testUuid(4), userName: 'user-4@example.test', externalId: null, isWritten: true },
        ...{ email: 'user-4@example.test', isActive: false, userId: null },
      });
      expectEqual(await memberOf(storage, 4), null);
      expectEqual(await members.byUuid({ organizationId: 1, uuid: testUuid(4) }), null);
      expectEqual(await accessOf(storage, 4), [false, true, false, false]);
      expectEqual(await accessOf(storage, 3), [true, true, true, true]);
      expectEqual(await identities.of({ organizationId: 1, userId: 4 }), null);
      expectEqual(rows(changes, 'ended', 'registered'), [[before, null]]);
      expectEqual(await directory.byUuid({ organizationId: 1, uuid: testUuid(4) }), person);
    }),

    test('a last owner whom it has written is signed out everywhere and stays', async (storage) => {
      const { directory } = storage;
      await withAccess(storage, 1);
      const key = changeOf(1, { uuid: testUuid(1) });
      const before = await directory.change(key, active);
      const { seen: changes, journal } = recordingJournal<DirectoryChange>();
      expectEqual(await directory.change(key, inactive, journal), 'last-owner');
      expectEqual(await accessOf(storage, 1), [false, false, false, false]);
      expectEqual(await directory.byUuid({ organizationId: 1, uuid: testUuid(1) }), before);
      expectEqual(
        changes.map(({ signedOut, ended }) => [signedOut?.user.id, ended]),
        [[1, null]],
      );
      await storage.members.changeRole({ organizationId: 1, userId: 2, role: 'owner' });
      expectEqual(typeof (await directory.change(key, inactive)), 'object');
      expectEqual(await memberOf(storage, 1, 2).then((member) => member?.role), 'owner');
    }),

    test('an admin or an owner whom it has never written stays with everything', async (storage) => {
      const { directory } = storage;
      const { seen: changes, journal } = recordingJournal();
      for (const userId of [1, 2]) {
        await withAccess(storage, userId);
        const key = changeOf(1, { uuid: testUuid(userId) });
        expectEqual(await directory.change(key, inactive, journal), 'not-written');
        expectEqual(await directory.remove(key, journal), 'not-written');
        expectEqual(await accessOf(storage, userId), [true, true, true, true]);
      }
      const fresh = aNewPerson(1, { userName: 'user-2@example.test', email: null, isActive: false });
      expectEqual(await directory.create(fresh, journal), 'not-written');
      expectEqual(changes, []);
      await directory.change(changeOf(1, { uuid: testUuid(2) }), active);
      expectEqual(typeof (await directory.change(changeOf(1, { uuid: testUuid(2) }), inactive)), 'object');
    }),

    test('of 20 callers that deactivate, one ends the membership', async (storage) => {
      const { seen: changes, journal } = recordingJournal();
      const answers = await atOnce(20, () =>
        storage.directory.change(changeOf(1, { uuid: testUuid(4) }), inactive, journal),
      );
      expectEqual(
        answers.map((answer) => typeof answer),
        Array(20).fill('object'),
      );
      expectEqual([changes.length, await memberOf(storage, 4)], [1, null]);
    }),

    test('of two owners that are deactivated at once, one stays', async (storage) => {
      await storage.members.changeRole({ organizationId: 1, userId: 2, role: 'owner' });
      for (const userId of [1, 2])
        await storage.directory.change(changeOf(1, { uuid: testUuid(userId) }), active);
      const answers = await atOnce(2, (index) =>
        storage.directory.change(changeOf(1, { uuid: testUuid(index + 1) }), inactive),
      );
      expectOneSuccess(answers, 'last-owner');
    }),

    test('a membership that others end makes the person inactive, and a member when they return', async (storage) => {
      const { directory, members } = storage;
      await directory.change(changeOf(1, { uuid: testUuid(2) }), active);
      await members.remove({ organizationId: 1, userId: 2, at: later });
      const person = await directory.byUuid({ organizationId: 1, uuid: testUuid(2) });
      expectEqual([person?.isActive, person?.member], [false, null]);
      await directory.change(changeOf(1, { uuid: testUuid(2) }), active);
      expectEqual((await memberOf(storage, 2))?.role, 'member');
      await members.remove({ organizationId: 1, userId: 4, at: later });
      expectEqual(await directory.byUuid({ organizationId: 1, uuid: testUuid(4) }), null);
    }),

    test('the invitation of a person who becomes inactive is revoked, and stored again', async (storage) => {
      const { directory, invitations } = storage;
      await created(storage, 1, { userName: 'five', email: 'user-5@example.test' });
      const { seen: changes, journal } = recordingJournal<DirectoryChange>();
      await directory.change(changeOf(1, { at: later }), inactive, journal);
      const revoked = await invitations.byId(newIds(1).invitationId);
      expectEqual([revoked?.revokedAt, each(changes, 'revoked')], [later, [revoked]]);
      await directory.change(changeOf(1, { at: minutes(9) }), active, journal);
      const again = await invitations.byUserUuid({ organizationId: 1, uuid: uuidOf(1) });
      expectEqual([again?.id, again?.revokedAt, again?.idpId], [newIds(5001).invitationId, null, 'ext-1']);
      expectEqual((await invitations.byId(newIds(1).invitationId))?.userUuid, newIds(5001).retiredUuid);
      expectEqual(changes.at(-1)?.invited, again);
    }),
  ];
}

function restoreTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('an active entry restores the UUID, the role, the idpId and the time of joining', async (storage) => {
      const { directory, users } = storage;
      await directory.change(changeOf(1, { uuid: testUuid(2) }), active);
      await directory.change(changeOf(1, { uuid: testUuid(3) }), active);
      const before = [await memberOf(storage, 2), await memberOf(storage, 3)];
      await users.setPasswordHash({ userId: 2, hash: 'hash' });
      const { seen: changes, journal } = recordingJournal<DirectoryChange>();
      for (const userId of [2, 3]) {
        const key = changeOf(1, { uuid: testUuid(userId), at: later });
        await directory.change(key, inactive);
        await directory.change(key, active, journal);
      }
      expectEqual([await memberOf(storage, 2), await memberOf(storage, 3)], before);
      expectEqual(each(changes, 'registered'), [null, null]);
      expectEqual(await storage.signOns.opens({ organizationId: 1, userId: 2 }), 'any');
      const person = await created(storage, 1);
      await directory.change(changeOf(1), inactive);
      await directory.change(changeOf(1), active);
      const userId = person.member?.user.id ?? 0;
      expectEqual(await memberOf(storage, userId), person.member);
      expectEqual(await storage.signOns.opens({ organizationId: 1, userId }), 'sign-on');
    }),

    test('an idpId that someone else got meanwhile is not restored, and an externalId refused', async (storage) => {
      const { directory, members } = storage;
      await directory.change(changeOf(1, { uuid: testUuid(3) }), instead({ externalId: null }));
      await members.setIdpId({ organizationId: 1, userId: 3, idpId: 'by hand' });
      for (const number of [1, 3]) {
        if (number === 1) await created(storage, 1);
        const uuid = number === 1 ? uuidOf(1) : testUuid(3);
        await directory.change(changeOf(1, { uuid }), inactive);
      }
      await members.setIdpId({ organizationId: 1, userId: 4, idpId: 'by hand' });
      await directory.change(changeOf(1, { uuid: testUuid(3) }), active);
      expectEqual((await memberOf(storage, 3))?.idpId, null);
      expectEqual(
        await members.setIdpId({ organizationId: 1, userId: 4, idpId: 'ext-1' }).then(seenIdpId),
        'ext-1',
      );
      expectEqual(await directory.change(changeOf(1), active), 'external-id-taken');
    }),

    test('a person who was never a member becomes one with the first active entry', async (storage) => {
      const { seen: changes, journal } = recordingJournal<DirectoryChange>();
      await created(storage, 1, { isActive: false });
      const person = await storage.directory.change(changeOf(1, { at: later }), active, journal);
      expectEqual(typeof person === 'string' ? person : [person.uuid, person.member?.joinedAt], [
        uuidOf(1),
        later,
      ]);
      expectEqual(
        changes.map(({ registered }) => registered?.uuid),
        [uuidOf(1)],
      );
    }),

    test('who is a member again in another way is active, and ends with the next inactive entry', async (storage) => {
      const { directory, invitations, members } = storage;
      const { member } = await created(storage, 1);
      const user = { id: member?.user.id ?? 0 };
      const invitation = anInvitation(1, { email: 'person-1@example.test' });
      for (const invitationId of [null, invitation.id]) {
        await directory.change(changeOf(1), inactive);
        if (invitationId !== null) await invitations.findOrCreatePending(invitation);
        await members.register(aNewMember(user, { invitationId }));
        const again = await memberOf(storage, user.id);
        expectEqual(again?.user.id, user.id);
        const person = await directory.byUuid({ organizationId: 1, uuid: again?.uuid ?? '' });
        expectEqual(person?.isActive, true);
        const { seen: changes, journal } = recordingJournal<DirectoryChange>();
        await directory.change(changeOf(1), inactive, journal);
        expectEqual([await memberOf(storage, user.id), each(changes, 'ended')], [null, [again]]);
      }
      await directory.change(changeOf(1), active);
      expectEqual((await memberOf(storage, user.id))?.uuid, uuidOf(1));
      await directory.change(changeOf(1), inactive);
      const other = anInvitation(2, { email: 'person-1@example.test' });
      await invitations.findOrCreatePending(other);
      await members.register(aNewMember(user, { invitationId: other.id }));
      const last = await memberOf(storage, user.id);
      const { seen: changes, journal } = recordingJournal<DirectoryChange>();
      await directory.remove({ organizationId: 1, uuid: uuidOf(1), at: later }, journal);
      expectEqual([await memberOf(storage, user.id), each(changes, 'ended')], [null, [last]]);
    }),

    test('an externalId that ends while the person is inactive does not come back', async (storage) => {
      const { directory } = storage;
      const { member } = await created(storage, 1);
      const userId = member?.user.id ?? 0;
      await directory.change(changeOf(1), inactive);
      await directory.change(changeOf(1), instead({ externalId: null }));
      await directory.change(changeOf(1), active);
      expectEqual((await memberOf(storage, userId))?.idpId, null);
      await directory.change(changeOf(1), instead({ externalId: 'ext-1' }));
      await directory.change(changeOf(1), instead({ externalId: null, isActive: false }));
      await directory.change(changeOf(1), active);
      expectEqual((await memberOf(storage, userId))?.idpId, null);
      await directory.change(changeOf(1), instead({ externalId: 'ext-1', isActive: false }));
      await directory.change(changeOf(1), instead({ externalId: null, isActive: true }));
      expectEqual((await memberOf(storage, userId))?.idpId, null);
    }),

    test('the invitation that a restored membership replaces is revoked, and so told', async (storage) => {
      const { seen: changes, journal } = recordingJournal<DirectoryChange>();
      await created(storage, 1);
      await storage.directory.change(changeOf(1), inactive);
      const invitation = anInvitation(1, { email: 'person-1@example.test' });
      await storage.invitations.findOrCreatePending(invitation);
      await storage.directory.change(changeOf(1), active, journal);
      const revoked = await storage.invitations.byId(invitation.id);
      expectEqual([revoked?.revokedAt, each(changes, 'revoked')], [noon, [revoked]]);
    }),

    test('of 20 callers that reactivate, one restores the membership', async (storage) => {
      const { seen: changes, journal } = recordingJournal();
      const key = changeOf(1, { uuid: testUuid(4) });
      await storage.directory.change(key, inactive);
      const answers = await atOnce(20, () => storage.directory.change(key, active, journal));
      expectEqual(
        answers.map((answer) => typeof answer),
        Array(20).fill('object'),
      );
      expectEqual(changes.length, 1);
    }),
  ];
}

function seenIdpId(member: unknown): unknown {
  return typeof member === 'object' && member !== null && 'idpId' in member ? member.idpId : member;
}

function removeTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('a removed person is unknown, and the membership has ended', async (storage) => {
      const { directory } = storage;
      await withAccess(storage, 4);
      const person = await created(storage, 1);
      const { seen: changes, journal } = recordingJournal<DirectoryChange>();
      for (const uuid of [uuidOf(1), testUuid(4)]) {
        const removed = await directory.remove(changeOf(1, { uuid }), journal);
        expectEqual(typeof removed === 'string' ? removed : removed.uuid, uuid);
        expectEqual(await directory.byUuid({ organizationId: 1, uuid }), null);
        expectEqual(await directory.remove(changeOf(1, { uuid })), 'unknown');
      }
      expectEqual(await accessOf(storage, 4), [false, true, false, false]);
      expectEqual(
        changes.map(({ person: after, ended }) => [after, ended?.uuid]),
        [
          [null, uuidOf(1)],
          [null, testUuid(4)],
        ],
      );
      expectEqual(await directory.byUserName({ organizationId: 1, userName: person.userName }), null);
      expectEqual((await directory.list({ organizationId: 1, offset: 0, limit: 9 })).total, 3);
      expectEqual((await directory.counts(1)).inactive, 0);
    }),

    test('a removed person who is written again is the same account with a new membership', async (storage) => {
      const { directory } = storage;
      const before = await created(storage, 1);
      await directory.remove(changeOf(1));
      const { seen: changes, journal } = recordingJournal<DirectoryChange>();
      const again = await directory.create({ ...aNewPerson(2, anEntry(1)), at: later }, journal);
      if (typeof again === 'string') throw new Error(again);
      expectEqual(
        [again.uuid, again.member?.user.id, again.member?.joinedAt, changes[0]?.registered?.uuid],
        [before.uuid, before.member?.user.id, later, before.uuid],
      );
      const elsewhere = await directory.create(aNewPerson(3, { ...anEntry(1), userName: 'x' }, 2));
      expectEqual(typeof elsewhere === 'string' ? elsewhere : elsewhere.member, null);
    }),

    test('a last owner and a person of nobody are not removed', async (storage) => {
      const { directory } = storage;
      await directory.change(changeOf(1, { uuid: testUuid(1) }), active);
      expectEqual(await directory.remove(changeOf(1, { uuid: testUuid(1) })), 'last-owner');
      expectEqual((await memberOf(storage, 1))?.role, 'owner');
      expectEqual(await directory.remove(changeOf(7)), 'unknown');
    }),

    test('an invited and an inactive person are removed, and the invitation is revoked', async (storage) => {
      const { directory, invitations } = storage;
      await created(storage, 1, { userName: 'five', email: 'user-5@example.test' });
      await created(storage, 2, { isActive: false });
      for (const number of [1, 2]) await directory.remove(changeOf(number, { at: later }));
      expectEqual((await invitations.byId(newIds(1).invitationId))?.revokedAt, later);
      expectEqual((await directory.list({ organizationId: 1, offset: 0, limit: 9 })).total, 4);
    }),

    test('of 20 callers that remove a person, one gets them', async (storage) => {
      await created(storage, 1);
      expectOneSuccess(await atOnce(20, () => storage.directory.remove(changeOf(1))), 'unknown');
    }),

    test('if the journal throws, the person stays', async (storage) => {
      const before = await created(storage, 1);
      await expectPassedOn((fail) => storage.directory.remove(changeOf(1), fail));
      expectEqual(await storage.directory.byUuid({ organizationId: 1, uuid: uuidOf(1) }), before);
    }),
  ];
}

function requestTests(test: MakeTest): readonly ContractTest[] {
  const request = (number: number, fields = {}) => ({
    ...{ organizationId: 1, at: minutes(number), method: 'PATCH', status: 200 + (number % 100) },
    ...{ reason: `reason ${number}`, uuid: null, ...fields },
  });
  return [
    test('the newest requests of an organization are listed first', async ({ directory }) => {
      const [one, two] = [request(1, { uuid: testUuid(3) }), request(2)];
      for (const each of [two, one, request(9, { organizationId: 2 })]) await directory.record(each);
      const same = request(2, { reason: 'the same time' });
      await directory.record(same);
      expectEqual(await directory.requests({ organizationId: 1, limit: 9 }), [same, two, one]);
      expectEqual(await directory.requests({ organizationId: 1, limit: 1 }), [same]);
    }),

    test('the newest 200 stay, and a request of no organization is left out', async ({ directory }) => {
      for (let number = 1; number <= 203; number += 1) await directory.record(request(number));
      await directory.record(request(1, { organizationId: 99 }));
      const kept = await directory.requests({ organizationId: 1, limit: 999 });
      expectEqual([kept.length, kept.at(0)?.reason, kept.at(-1)?.reason], [200, 'reason 203', 'reason 4']);
      expectEqual(await directory.requests({ organizationId: 99, limit: 9 }), []);
    }),
  ];
}
