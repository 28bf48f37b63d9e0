import type { Member, Members, NewInvitation, NewMember, Registered, Role } from '../../users/ports.js';
import type { NewEvent } from '../../webhooks/ports.js';
import { anOrganization, aUser, testUuid } from '../dataset.js';
import { atOnce, type ContractTest, expectEqual, expectThrow, expectTrue } from '../expect.js';
import { hostileTexts } from '../hostile-texts.js';
import { aNewInvitation } from '../new-invitation.js';
import { type StartedStorage, type StartStorage, storageTest } from '../start-storage.js';

const at = new Date('2026-11-20T12:00:00.000Z');

/** The promises of `Members` and `Invitations`. */
export function membersSuite(start: StartStorage): readonly ContractTest[] {
  const test = (name: string, work: (started: StartedStorage) => Promise<void>) =>
    storageTest(start, name, async (started) => {
      await started.load({
        organizations: [anOrganization(1), anOrganization(2)],
        users: [aUser(1), aUser(2)],
        memberships: [{ organizationId: 2, userId: 1, role: 'admin', idpId: 'idp-1' }],
      });
      await work(started);
    });

  return [
    test('Members: found by idp id, UUID and user id, in their own organization only', async ({
      storage: { members },
    }) => {
      const member: Member = {
        organizationId: 2,
        user: aUser(1),
        uuid: testUuid(1),
        role: 'admin',
        idpId: 'idp-1',
      };
      expectEqual(await members.byIdpId({ organizationId: 2, idpId: 'idp-1' }), member);
      expectEqual(await members.byUuid({ organizationId: 2, uuid: testUuid(1) }), member);
      expectEqual(await members.byUserId({ organizationId: 2, userId: 1 }), member);
      expectEqual(await members.byIdpId({ organizationId: 1, idpId: 'idp-1' }), null);
      expectEqual(await members.byIdpId({ organizationId: 2, idpId: 'IDP-1' }), null);
      expectEqual(await members.byUuid({ organizationId: 1, uuid: testUuid(1) }), null);
      expectEqual(await members.byUserId({ organizationId: 1, userId: 1 }), null);
    }),

    test('Members: ofUser lists every organization with the role there', async ({
      storage: { members },
      load,
    }) => {
      await load({ memberships: [{ organizationId: 1, userId: 1, role: 'owner', idpId: null }] });
      const roles = (await members.ofUser(1)).map(({ organization, role }) => [organization.id, role]);
      expectEqual(roles, [
        [1, 'owner'],
        [2, 'admin'],
      ]);
      expectEqual(await members.ofUser(2), []);
    }),

    test('Members: register makes a new user a member and tells the core what it needs for the event', async ({
      storage,
    }) => {
      const told: Registered[] = [];
      const member = await storage.members.register(newMember(), (registered) => {
        told.push(registered);
        return event(1);
      });

      expectTrue(typeof member === 'object', `register answered ${String(member)}`);
      const { user } = member as Member;
      expectEqual(member, { organizationId: 1, user, uuid: testUuid(70), role: 'member', idpId: 'idp-9' });
      const { passwordHash, ...fields } = newUser;
      expectEqual(user, { id: user.id, avatar: null, ...fields });
      expectEqual(told, [{ organization: await storage.organizations.byId(1), member, webhook: null }]);
      expectEqual(await storage.members.byUuid({ organizationId: 1, uuid: testUuid(70) }), member);
      expectEqual(await storage.users.passwordHash(user.id), 'hash');
      const [delivery] = await storage.deliveries.list({ organizationId: 1, limit: 10 });
      expectEqual(
        [delivery?.eventId, delivery?.body, delivery?.state],
        [event(1).id, event(1).body, 'pending'],
      );
    }),

    test('Members: register takes an existing user, with their own UUID where none is given', async ({
      storage: { members, deliveries },
    }) => {
      const member = await members.register(
        { ...newMember(), user: { id: 2 }, uuid: null, idpId: null },
        () => null,
      );
      expectEqual(member, {
        organizationId: 1,
        user: aUser(2),
        uuid: testUuid(2),
        role: 'member',
        idpId: null,
      });
      expectEqual(await deliveries.list({ organizationId: 1, limit: 10 }), []);
    }),

    test('Members: nothing is kept when tell throws', async ({ storage }) => {
      await storage.invitations.findOrCreatePending(aNewInvitation(1, at));
      const entry = { ...newMember(), invitationId: aNewInvitation(1, at).id };
      const failure = new Error('no event');
      await expectThrow(
        () =>
          storage.members.register(entry, () => {
            throw failure;
          }),
        (error) => error === failure,
      );
      expectEqual(await storage.users.byEmail(newUser.email), null);
      expectEqual((await storage.invitations.byId(aNewInvitation(1, at).id))?.acceptedAt, null);
      expectTrue(
        typeof (await storage.members.register(entry, () => null)) === 'object',
        'a second try must succeed',
      );
    }),

    test('Members: register says why not, and then keeps nothing', async ({
      storage: { members, users },
      load,
    }) => {
      await load({ memberships: [{ organizationId: 1, userId: 2, role: 'member', idpId: 'taken' }] });
      const buildEvent = (): NewEvent => event(1);
      const answers = [
        await members.register({ ...newMember(), user: { ...newUser, email: aUser(1).email } }, buildEvent),
        await members.register({ ...newMember(), user: { id: 2 } }, buildEvent),
        await members.register({ ...newMember(), idpId: 'taken' }, buildEvent),
        await members.register({ ...newMember(), invitationId: testUuid(99) }, buildEvent),
      ];
      expectEqual(answers, ['account-exists', 'already-member', 'idp-id-taken', 'invitation-closed']);
      expectEqual(await users.byEmail(newUser.email), null);
    }),

    test('Members: register for an unknown organization says so, asks for no event and keeps nothing', async ({
      storage: { members, users },
    }) => {
      let asked = 0;
      const buildEvent = () => {
        asked += 1;
        return null;
      };
      const unknown = { ...newMember(), organizationId: 99 };
      expectEqual(await members.register(unknown, buildEvent), 'unknown-organization');
      expectEqual(
        await members.register({ ...unknown, user: { id: 2 } }, buildEvent),
        'unknown-organization',
      );
      expectEqual([asked, await users.byEmail(newUser.email)], [0, null]);
    }),

    test('Members: of 20 acceptances of one invitation at once one succeeds, with one member and one event', async ({
      storage,
    }) => {
      await storage.invitations.findOrCreatePending(aNewInvitation(1, at));
      const answers = await atOnce(20, (index) =>
        storage.members.register(
          { ...newMember(), idpId: null, invitationId: aNewInvitation(1, at).id },
          () => event(index),
        ),
      );
      expectEqual(answers.filter((answer) => typeof answer === 'object').length, 1);
      expectEqual(answers.filter((answer) => answer === 'invitation-closed').length, 19);
      expectEqual((await storage.deliveries.list({ organizationId: 1, limit: 50 })).length, 1);
      expectEqual((await storage.invitations.byId(aNewInvitation(1, at).id))?.acceptedAt, at);
    }),

    test('Members: of 20 registrations of one user at once one succeeds', async ({ storage }) => {
      const answers = await atOnce(20, (index) =>
        storage.members.register({ ...newMember(), user: { id: 2 }, uuid: null, idpId: null }, () =>
          event(index),
        ),
      );
      expectEqual(answers.filter((answer) => typeof answer === 'object').length, 1);
      expectEqual(answers.filter((answer) => answer === 'already-member').length, 19);
      expectEqual((await storage.deliveries.list({ organizationId: 1, limit: 50 })).length, 1);
    }),

    test('Members: list has owners, admins and members, each by address, with who can sign in', async ({
      storage: { members, users },
      load,
    }) => {
      const emails = [
        'b@example.test',
        'ä@example.test',
        'a@example.test',
        'z@example.test',
        'a-b@example.test',
      ];
      const people = emails.map((email, index) => aUser(10 + index, { email }));
      const role = (index: number) => (['member', 'member', 'member', 'owner', 'admin'] as const)[index];
      await load({
        users: people,
        memberships: people.map(({ id }, index) => ({
          organizationId: 1,
          userId: id,
          role: role(index) ?? 'member',
          idpId: index === 0 ? 'idp' : null,
        })),
      });
      await users.setPasswordHash({ userId: 10, hash: 'hash' });
      const all = await members.list({ organizationId: 1, offset: 0, limit: 100 });
      expectEqual(
        all.members.map(({ user, canSignIn }) => [user.email, canSignIn]),
        [
          ['z@example.test', false],
          ['a-b@example.test', false],
          ['a@example.test', false],
          ['b@example.test', true],
          ['ä@example.test', false],
        ],
      );
      expectEqual(all.total, 5);
      const found = await members.byUserId({ organizationId: 1, userId: 10 });
      expectEqual(all.members[3], { ...found, canSignIn: true });
      expectEqual(await members.list({ organizationId: 1, offset: 1, limit: 2 }), {
        total: 5,
        members: all.members.slice(1, 3),
      });
      expectEqual(await members.list({ organizationId: 1, offset: 5, limit: 2 }), { total: 5, members: [] });
      expectEqual((await members.list({ organizationId: 2, offset: 0, limit: 9 })).total, 1);
    }),

    test('Members: list finds by parts of names and addresses, whatever their case, and only what is written', async ({
      storage: { members },
      load,
    }) => {
      const named = [
        ['ÖZGE', 'Ångström', 'ozge@example.test'],
        ['Ανδρέας', 'Παπαδόπουλος', 'andreas@example.test'],
        ['100%', 'a_b*c?', 'per.cent+1@example.test'],
        ['O\u2019Neil (née [x-z])', '^\\d$|{2}', 'c:\\d@example.test'],
        ['Жанна 😀𐐀', 'Weiß GROẞ', 'zhanna@example.test'],
        ['漢字', 'نور \ufffe', 'kanji@example.test'],
      ] as const;
      const people = named.map(([firstName, lastName, email], index) =>
        aUser(10 + index, { firstName, lastName, email }),
      );
      await load({
        users: people,
        memberships: [
          ...people.map(({ id }) => ({
            organizationId: 1,
            userId: id,
            role: 'member' as const,
            idpId: null,
          })),
          { organizationId: 2, userId: 10, role: 'member', idpId: null },
        ],
      });
      const find = async (...words: readonly string[]) => {
        const found = await members.list({ organizationId: 1, words, offset: 0, limit: 100 });
        expectEqual(found.total, found.members.length);
        return found.members.map(({ user }) => user.id - 10).sort();
      };
      const everybody = people.map((_person, index) => index);
      const wanted: readonly (readonly [words: readonly string[], found: readonly number[]])[] = [
        [[], everybody],
        [['özge'], [0]],
        [['ÅNGSTRÖM'], [0]],
        [['OZGE@Example.TEST'], [0]],
        [['strom'], []],
        [['παπαδόπουλοσ'], [1]],
        [['ΑΝΔΡΈΑΣ'], [1]],
        [['жАННА'], [4]],
        [['WEIẞ'], [4]],
        [['groß'], [4]],
        [['😀𐐨'], [4]],
        [['😁'], []],
        [['漢'], [5]],
        [['نور'], [5]],
        [['\ufffe'], [5]],
        [['\ufffd'], []],
        [['%'], [2]],
        [['_'], [2]],
        [['*'], [2]],
        [['?'], [2]],
        [['.'], everybody],
        [['r.c'], [2]],
        [['+1'], [2]],
        [['b*C'], [2]],
        [['[x-z]'], [3]],
        [['[xyz]'], []],
        [['(NÉE'], [3]],
        [['\\D'], [3]],
        [['^'], [3]],
        [['$|{2}'], [3]],
        [['{'], [3]],
        [["'"], []],
        [['"'], []],
        [['***:'], []],
        [['(?i)'], []],
        [['example.test', 'weiß'], [4]],
        [['weiß', 'жанна'], [4]],
        [['weiß', 'özge'], []],
        [
          ['o', 'O', 'o'],
          [0, 3, 4],
        ],
        [['example'.repeat(40)], []],
      ];
      for (const [words, found] of wanted) expectEqual([words, await find(...words)], [words, found]);
      for (const text of hostileTexts) {
        const words = text
          .slice(0, 300)
          .split(/\s+/)
          .filter((word) => word !== '');
        expectTrue((await find(...words)).length <= people.length, `more than everybody for ${text}`);
      }
      const parts = await members.list({ organizationId: 1, words: ['example'], offset: 4, limit: 3 });
      expectEqual([parts.total, parts.members.map(({ user }) => user.id)], [6, [12, 14]]);
      expectEqual((await members.list({ organizationId: 2, words: ['test'], offset: 0, limit: 9 })).total, 2);
    }),

    test('Members: changeRole changes one member of one organization', async ({
      storage: { members },
      load,
    }) => {
      await load({
        memberships: [
          { organizationId: 1, userId: 1, role: 'owner', idpId: null },
          { organizationId: 1, userId: 2, role: 'member', idpId: 'idp-2' },
        ],
      });
      const change = (organizationId: number, userId: number, role: Role) =>
        members.changeRole({ organizationId, userId, role });
      const changed = await change(1, 2, 'owner');
      expectEqual(changed, {
        organizationId: 1,
        user: aUser(2),
        uuid: testUuid(2),
        role: 'owner',
        idpId: 'idp-2',
      });
      expectEqual(await members.byUserId({ organizationId: 1, userId: 2 }), changed);
      expectEqual(await roleOf(members, 1, 1), 'owner');
      expectEqual(await roleOf(members, 2, 1), 'admin');
      expectEqual(await change(1, 9, 'owner'), 'not-a-member');
      expectEqual(await change(2, 2, 'owner'), 'not-a-member');
      expectTrue(typeof (await change(1, 1, 'admin')) === 'object', 'another owner is left');
      expectEqual(await change(1, 2, 'member'), 'last-owner');
      expectTrue(typeof (await change(1, 2, 'owner')) === 'object', 'an owner may stay owner');
      expectEqual(await roleOf(members, 1, 2), 'owner');
    }),

    test('Members: of 20 that demote or remove two owners at once one does, again and again', async ({
      storage: { members },
      load,
    }) => {
      for (let round = 1; round <= 5; round += 1) {
        await load({
          memberships: [
            { organizationId: 1, userId: 1, role: 'owner', idpId: null },
            { organizationId: 1, userId: 2, role: 'owner', idpId: null },
          ],
        });
        // Whoever lends connections has them open by then.
        await atOnce(20, () => members.byUserId({ organizationId: 1, userId: 1 }));
        const answers = await atOnce(20, (index) => {
          const key = { organizationId: 1, userId: 1 + (index % 2) };
          return index % 4 < 2
            ? members.changeRole({ ...key, role: 'member' })
            : members.remove({ ...key, at });
        });
        const { members: left } = await members.list({ organizationId: 1, offset: 0, limit: 9 });
        expectEqual(left.filter(({ role }) => role === 'owner').length, 1);
        expectTrue(answers.includes('last-owner'), 'nobody was told that an owner must be left');
      }
    }),

    test('Members: remove ends what could still be used of the membership, and nothing else', async ({
      storage,
      load,
    }) => {
      await load({
        memberships: [
          { organizationId: 1, userId: 1, role: 'member', idpId: null },
          { organizationId: 1, userId: 2, role: 'owner', idpId: null },
        ],
      });
      const { sessions, loginLinks, invitations, members } = storage;
      for (const [hash, userId, boundTo] of [
        ['bound', 1, 1],
        ['bound elsewhere', 1, 2],
        ['free', 1, null],
        ['of another', 2, 1],
      ] as const) {
        await sessions.create({ hash, userId, boundTo, createdAt: at, passwordHash: null });
      }
      const link = { createdAt: at, expiresAt: new Date(at.getTime() + 1000) };
      await loginLinks.store({ hash: 'here', organizationId: 1, userId: 1, ...link });
      await loginLinks.store({ hash: 'elsewhere', organizationId: 2, userId: 1, ...link });
      const before = await members.byUserId({ organizationId: 1, userId: 1 });
      expectEqual(await members.remove({ organizationId: 1, userId: 2, at }), 'last-owner');
      expectEqual(await members.remove({ organizationId: 1, userId: 9, at }), 'not-a-member');

      expectEqual(await members.remove({ organizationId: 1, userId: 1, at }), before);
      expectEqual(await members.remove({ organizationId: 1, userId: 1, at }), 'not-a-member');
      expectEqual(await members.byUserId({ organizationId: 1, userId: 1 }), null);
      expectTrue((await members.byUserId({ organizationId: 2, userId: 1 })) !== null, 'removed elsewhere');
      const open = [];
      for (const hash of ['bound', 'bound elsewhere', 'free', 'of another']) {
        open.push((await sessions.find(hash)) !== null);
      }
      expectEqual(open, [false, true, true, true]);
      expectEqual(await loginLinks.find('here'), null);
      expectTrue((await loginLinks.find('elsewhere')) !== null, 'a link of another organization is gone');
      expectTrue((await storage.users.byEmail(aUser(1).email)) !== null, 'the user is gone');
      expectEqual(
        typeof (await invitations.findOrCreatePending({ ...aNewInvitation(1, at), email: aUser(1).email })),
        'object',
      );
    }),

    test('Members: an invitation that was pending beside the membership ends with it', async ({
      storage: { members, invitations },
    }) => {
      const { email } = aUser(2);
      await invitations.findOrCreatePending({ ...aNewInvitation(1, at), email });
      await invitations.findOrCreatePending({ ...aNewInvitation(2, at), organizationId: 2, email });
      await invitations.findOrCreatePending(aNewInvitation(3, at));
      const entry = { ...newMember(), user: { id: 2 }, uuid: null, idpId: null };
      await members.register(entry, () => null);
      await members.remove({ organizationId: 1, userId: 2, at });
      const revoked = [];
      for (const number of [1, 2, 3])
        revoked.push((await invitations.byId(aNewInvitation(number, at).id))?.revokedAt);
      expectEqual(revoked, [at, null, null]);
      expectEqual(
        await members.register({ ...entry, invitationId: aNewInvitation(1, at).id }, () => null),
        'invitation-closed',
      );
    }),

    test('Members: removing and accepting a leftover invitation at once leaves nobody in between', async ({
      storage: { members, invitations },
    }) => {
      await invitations.findOrCreatePending({ ...aNewInvitation(1, at), email: aUser(2).email });
      const entry = { ...newMember(), user: { id: 2 }, uuid: null, idpId: null };
      await members.register(entry, () => null);
      await atOnce(20, (index) =>
        index % 2 === 0
          ? members.remove({ organizationId: 1, userId: 2, at })
          : members.register({ ...entry, invitationId: aNewInvitation(1, at).id }, () => null),
      );
      expectEqual(await members.byUserId({ organizationId: 1, userId: 2 }), null);
      expectEqual((await invitations.byId(aNewInvitation(1, at).id))?.revokedAt, at);
    }),

    test('Invitations: of 50 callers at once all get the same invitation, as first stored', async ({
      storage: { invitations },
    }) => {
      const answers = await atOnce(50, (index) => invitations.findOrCreatePending(aNewInvitation(index, at)));
      expectEqual(
        new Set(answers.map((answer) => (typeof answer === 'object' ? answer.id : answer))).size,
        1,
      );
      const again = await invitations.findOrCreatePending({ ...aNewInvitation(77, at), firstName: 'Other' });
      expectEqual(again, answers[0]);
      expectTrue(typeof again === 'object', 'the invitation must be pending');
      const kept = again as NewInvitation;
      expectEqual(again, {
        ...aNewInvitation(0, at),
        id: kept.id,
        userUuid: kept.userUuid,
        acceptedAt: null,
        revokedAt: null,
      });
    }),

    test('Invitations: each organization has its own for one address', async ({
      storage: { invitations },
    }) => {
      const one = await invitations.findOrCreatePending(aNewInvitation(1, at));
      const other = await invitations.findOrCreatePending({ ...aNewInvitation(2, at), organizationId: 2 });
      expectEqual(
        [one, other].map((answer) => (typeof answer === 'object' ? answer.id : answer)),
        [aNewInvitation(1, at).id, aNewInvitation(2, at).id],
      );
    }),

    test('Invitations: a member is not invited, a member of another organization is', async ({
      storage: { invitations },
    }) => {
      const { email } = aUser(1);
      expectEqual(
        await invitations.findOrCreatePending({ ...aNewInvitation(1, at), organizationId: 2, email }),
        'already-member',
      );
      const answer = await invitations.findOrCreatePending({ ...aNewInvitation(1, at), email });
      expectEqual(typeof answer === 'object' && answer.email, email);
    }),

    test('Invitations: an unknown organization invites no one', async ({ storage: { invitations } }) => {
      const unknown = { ...aNewInvitation(1, at), organizationId: 99 };
      expectEqual(await invitations.findOrCreatePending(unknown), 'unknown-organization');
      expectEqual(await invitations.byId(unknown.id), null);
    }),

    test('Invitations: found by id, and by the UUID in its own organization only', async ({
      storage: { invitations },
    }) => {
      const stored = await invitations.findOrCreatePending(aNewInvitation(1, at));
      const { id, userUuid } = aNewInvitation(1, at);
      expectEqual(await invitations.byId(id), stored);
      expectEqual(await invitations.byUserUuid({ organizationId: 1, uuid: userUuid }), stored);
      expectEqual(await invitations.byUserUuid({ organizationId: 2, uuid: userUuid }), null);
      expectEqual(await invitations.byId(testUuid(12345)), null);
    }),

    test('Invitations: once accepted it is not pending any more', async ({ storage }) => {
      await storage.invitations.findOrCreatePending(aNewInvitation(1, at));
      await storage.members.register({ ...newMember(), invitationId: aNewInvitation(1, at).id }, () => null);
      expectEqual(await storage.invitations.findOrCreatePending(aNewInvitation(2, at)), 'already-member');
      expectEqual((await storage.invitations.byId(aNewInvitation(1, at).id))?.acceptedAt, at);
    }),
  ];
}

async function roleOf(members: Members, organizationId: number, userId: number): Promise<Role | undefined> {
  return (await members.byUserId({ organizationId, userId }))?.role;
}

const newUser = {
  uuid: testUuid(60),
  email: 'new@example.test',
  firstName: 'Ana',
  lastName: 'Lopez',
  passwordHash: 'hash',
  createdAt: at,
};

function newMember(): NewMember {
  return {
    organizationId: 1,
    user: newUser,
    uuid: testUuid(70),
    role: 'member',
    idpId: 'idp-9',
    invitationId: null,
    at,
  };
}

function event(number: number): NewEvent {
  return {
    id: testUuid(3000 + number),
    name: 'user.registered',
    organizationId: 1,
    body: `{"event":"user.registered","n":${number}}`,
    createdAt: at,
  };
}
