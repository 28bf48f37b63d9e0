import type { Member, NewEvent, NewInvitation, NewMember, Registered } from '../../ports.js';
import { anOrganization, aUser, testUuid } from '../dataset.js';
import { atOnce, type ContractTest, expectEqual, expectThrow, expectTrue } from '../expect.js';
import { type StartedStorage, type StartStorage, storageTest } from './start.js';

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
      await storage.invitations.pendingOr(invitation(1));
      const entry = { ...newMember(), invitationId: invitation(1).id };
      const failure = new Error('no event');
      await expectThrow(
        () =>
          storage.members.register(entry, () => {
            throw failure;
          }),
        (error) => error === failure,
      );
      expectEqual(await storage.users.byEmail(newUser.email), null);
      expectEqual((await storage.invitations.byId(invitation(1).id))?.acceptedAt, null);
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
      const tell = (): NewEvent => event(1);
      const answers = [
        await members.register({ ...newMember(), user: { ...newUser, email: aUser(1).email } }, tell),
        await members.register({ ...newMember(), user: { id: 2 } }, tell),
        await members.register({ ...newMember(), idpId: 'taken' }, tell),
        await members.register({ ...newMember(), invitationId: testUuid(99) }, tell),
      ];
      expectEqual(answers, ['account-exists', 'already-member', 'idp-id-taken', 'invitation-closed']);
      expectEqual(await users.byEmail(newUser.email), null);
    }),

    test('Members: of 20 acceptances of one invitation at once one succeeds, with one member and one event', async ({
      storage,
    }) => {
      await storage.invitations.pendingOr(invitation(1));
      const answers = await atOnce(20, (index) =>
        storage.members.register({ ...newMember(), idpId: null, invitationId: invitation(1).id }, () =>
          event(index),
        ),
      );
      expectEqual(answers.filter((answer) => typeof answer === 'object').length, 1);
      expectEqual(answers.filter((answer) => answer === 'invitation-closed').length, 19);
      expectEqual((await storage.deliveries.list({ organizationId: 1, limit: 50 })).length, 1);
      expectEqual((await storage.invitations.byId(invitation(1).id))?.acceptedAt, at);
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

    test('Invitations: of 50 callers at once all get the same invitation, as first stored', async ({
      storage: { invitations },
    }) => {
      const answers = await atOnce(50, (index) => invitations.pendingOr(invitation(index)));
      expectEqual(
        new Set(answers.map((answer) => (typeof answer === 'object' ? answer.id : answer))).size,
        1,
      );
      const again = await invitations.pendingOr({ ...invitation(77), firstName: 'Other' });
      expectEqual(again, answers[0]);
      expectTrue(typeof again === 'object', 'the invitation must be pending');
      const kept = again as NewInvitation;
      expectEqual(again, {
        ...invitation(0),
        id: kept.id,
        userUuid: kept.userUuid,
        acceptedAt: null,
        revokedAt: null,
      });
    }),

    test('Invitations: each organization has its own for one address', async ({
      storage: { invitations },
    }) => {
      const one = await invitations.pendingOr(invitation(1));
      const other = await invitations.pendingOr({ ...invitation(2), organizationId: 2 });
      expectEqual(
        [one, other].map((answer) => (typeof answer === 'object' ? answer.id : answer)),
        [invitation(1).id, invitation(2).id],
      );
    }),

    test('Invitations: a member is not invited, a member of another organization is', async ({
      storage: { invitations },
    }) => {
      const { email } = aUser(1);
      expectEqual(
        await invitations.pendingOr({ ...invitation(1), organizationId: 2, email }),
        'already-member',
      );
      const answer = await invitations.pendingOr({ ...invitation(1), email });
      expectEqual(typeof answer === 'object' && answer.email, email);
    }),

    test('Invitations: found by id, and by the UUID in its own organization only', async ({
      storage: { invitations },
    }) => {
      const stored = await invitations.pendingOr(invitation(1));
      const { id, userUuid } = invitation(1);
      expectEqual(await invitations.byId(id), stored);
      expectEqual(await invitations.byUserUuid({ organizationId: 1, uuid: userUuid }), stored);
      expectEqual(await invitations.byUserUuid({ organizationId: 2, uuid: userUuid }), null);
      expectEqual(await invitations.byId(testUuid(12345)), null);
    }),

    test('Invitations: once accepted it is not pending any more', async ({ storage }) => {
      await storage.invitations.pendingOr(invitation(1));
      await storage.members.register({ ...newMember(), invitationId: invitation(1).id }, () => null);
      expectEqual(await storage.invitations.pendingOr(invitation(2)), 'already-member');
      expectEqual((await storage.invitations.byId(invitation(1).id))?.acceptedAt, at);
    }),
  ];
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

function invitation(number: number): NewInvitation {
  return {
    id: testUuid(1000 + number),
    keyId: 'key',
    organizationId: 1,
    userUuid: testUuid(2000 + number),
    email: 'new@example.test',
    firstName: 'Ana',
    lastName: 'Lopez',
    createdAt: at,
    invitedBy: null,
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
