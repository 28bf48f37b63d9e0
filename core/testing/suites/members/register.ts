import type { Member, MembershipFacts } from '../../../users/ports/members.js';
import type { User } from '../../../users/user.js';
import { aMembership, aUser, testUuid } from '../../dataset.js';
import {
  atOnce,
  type ContractTest,
  expectEqual,
  expectOneSuccess,
  expectPassedOn,
  expectTrue,
  rows,
} from '../../expect.js';
import { anInvitation, idOf } from '../../new-invitation.js';
import { aNewMember, aNewUser } from '../../new-member.js';
import { noon } from '../../noon.js';
import { event } from '../../queued-deliveries.js';
import { recordingJournal } from '../../recording-journal.js';
import type { MakeTest } from '../../start-storage.js';
import { invitationOfNewUser, newMember, newUser } from './new-member.js';

export function registerTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('register makes a new user a member and passes the facts to the journal', async (storage) => {
      const seen: MembershipFacts[] = [];
      const member = await storage.members.register(newMember(), (registered) => {
        seen.push(registered);
        return [event(1, 1)];
      });

      expectTrue(typeof member === 'object', `register answered ${String(member)}`);
      const { user } = member as Member;
      const known = { uuid: testUuid(70), role: 'member', idpId: 'idp-9', joinedAt: noon };
      expectEqual(member, { organizationId: 1, user, ...known });
      const { passwordHash, ...fields } = newUser;
      expectEqual(user, { id: user.id, avatar: null, ...fields });
      expectEqual(seen, [{ organization: await storage.organizations.byId(1), member }]);
      expectEqual(await storage.members.byUuid({ organizationId: 1, uuid: testUuid(70) }), member);
      expectEqual(await storage.users.passwordHash(user.id), 'hash');
      const pending = await storage.deliveries.list({ organizationId: 1, limit: 10 });
      const { id, body } = event(1, 1);
      expectEqual(rows(pending, 'eventId', 'body', 'state'), [[id, body, 'pending']]);
    }),

    test('register accepts an existing user, with the user’s own UUID if none is given', async (storage) => {
      const { members, deliveries } = storage;
      const member = await members.register(aNewMember({ id: 2 }));
      expectEqual(member, {
        organizationId: 1,
        user: aUser(2),
        uuid: testUuid(2),
        role: 'member',
        idpId: null,
        joinedAt: noon,
      });
      expectEqual(await deliveries.list({ organizationId: 1, limit: 10 }), []);
    }),

    test('nothing is kept if journal throws', async (storage) => {
      await storage.invitations.findOrCreatePending(invitationOfNewUser(1));
      const entry = newMember({ invitationId: idOf(1) });
      await expectPassedOn((fail) => storage.members.register(entry, fail));
      expectEqual(await storage.users.byEmail(newUser.email), null);
      expectEqual((await storage.invitations.byId(idOf(1)))?.acceptedAt, null);
      expectTrue(
        typeof (await storage.members.register(entry)) === 'object',
        'a second attempt must succeed',
      );
    }),

    test('register returns the reason for a failure, and then stores nothing', async (storage) => {
      const { members, users, invitations, load } = storage;
      await load({ memberships: [aMembership(2, { idpId: 'taken' })] });
      await invitations.findOrCreatePending(invitationOfNewUser(1));
      const journal = () => [event(1, 1)];
      const answers = [
        await members.register(newMember({ user: { ...newUser, email: aUser(1).email } }), journal),
        await members.register(newMember({ user: { id: 2 } }), journal),
        await members.register(newMember({ idpId: 'taken' }), journal),
        await members.register(newMember({ invitationId: testUuid(99) }), journal),
        await members.register(newMember({ user: { id: 99 } }), journal),
      ];
      expectEqual(answers, [
        'account-exists',
        'already-member',
        'idp-id-of-member',
        'invitation-closed',
        'unknown-user',
      ]);
      expectEqual(await users.byEmail(newUser.email), null);
      expectEqual((await invitations.byId(idOf(1)))?.acceptedAt, null);
    }),

    test('register for an unknown organization returns that, calls no journal and stores nothing', async (storage) => {
      const { members, users } = storage;
      const { seen, journal } = recordingJournal();
      const unknown = newMember({ organizationId: 99 });
      expectEqual(await members.register(unknown, journal), 'unknown-organization');
      expectEqual(await members.register({ ...unknown, user: { id: 2 } }, journal), 'unknown-organization');
      expectEqual([seen, await users.byEmail(newUser.email)], [[], null]);
    }),

    test('register accepts the pending invitation of the address, and the member gets its UUID and idpId', async (storage) => {
      const { members, invitations } = storage;
      const invited = invitationOfNewUser(1, { idpId: 'invited' });
      await invitations.findOrCreatePending(invited);
      await invitations.findOrCreatePending(anInvitation(2, { email: 'other@example.test' }));
      await invitations.findOrCreatePending(invitationOfNewUser(3, { organizationId: 2 }));
      const entry = aNewMember(newUser);
      const { seen, journal } = recordingJournal<MembershipFacts>();
      const member = (await members.register(entry, journal)) as Member;
      expectEqual([member.uuid, member.idpId], [invited.userUuid, 'invited']);
      expectEqual(seen[0]?.member, member);
      expectEqual(await members.byUuid({ organizationId: 1, uuid: invited.userUuid }), member);
      const accepted = [];
      for (const number of [1, 2, 3]) accepted.push((await invitations.byId(idOf(number)))?.acceptedAt);
      expectEqual(accepted, [noon, null, null]);

      const given = { ...entry, organizationId: 2, user: { id: member.user.id }, idpId: 'given' };
      const elsewhere = (await members.register(given)) as Member;
      expectEqual([elsewhere.uuid, elsewhere.idpId], [invitationOfNewUser(3).userUuid, 'given']);
    }),

    test('a registration without a role gets that of the invitation, if its inviter may still give it', async (storage) => {
      const { invitations, members } = storage;
      const owner = { kind: 'user', userId: 1 } as const;
      await members.register(aNewMember({ id: 1 }, { role: 'owner' }));
      await members.register(aNewMember({ id: 2 }, { role: 'owner' }));
      let number = 0;
      const roleOf = async (fields: Parameters<typeof anInvitation>[1], given: 'member' | null = null) => {
        number += 1;
        const invited = anInvitation(number, { role: 'admin', ...fields });
        await invitations.findOrCreatePending(invited);
        const { email, firstName, lastName, userUuid: uuid, createdAt } = invited;
        const user = { email, firstName, lastName, uuid, passwordHash: null, createdAt };
        const member = await members.register(aNewMember(user, { role: given, invitationId: invited.id }));
        return typeof member === 'object' && member.role;
      };
      expectEqual(await roleOf({ invitedBy: owner }), 'admin');
      expectEqual(await roleOf({ invitedBy: owner, role: 'member' }), 'member');
      expectEqual(await roleOf({ invitedBy: owner }, 'member'), 'member');
      expectEqual(await roleOf({ invitedBy: { kind: 'program' } }), 'admin');
      expectEqual(await roleOf({ invitedBy: { kind: 'access-key' } }), 'member');
      expectEqual(await roleOf({ invitedBy: null }), 'member');
      await members.changeRole({ organizationId: 1, userId: 1, role: 'admin' });
      expectEqual(await roleOf({ invitedBy: owner }), 'member');
      await members.remove({ organizationId: 1, userId: 1, at: noon });
      expectEqual(await roleOf({ invitedBy: owner }), 'member');
      const stranger = await members.register(aNewMember({ id: 1 }, { role: null }));
      expectEqual(typeof stranger === 'object' && stranger.role, 'member');
    }),

    test('register does not accept an invitation that was revoked', async ({ members, invitations }) => {
      const key = { organizationId: 1, invitationId: idOf(1) };
      await invitations.findOrCreatePending(invitationOfNewUser(1, { idpId: 'revoked' }));
      await invitations.revoke({ ...key, at: noon });
      const entry = aNewMember(newUser);
      const member = (await members.register(entry)) as Member;
      expectEqual([member.uuid, member.idpId, member.user.email], [newUser.uuid, null, newUser.email]);
      expectEqual((await invitations.byId(key.invitationId))?.acceptedAt, null);
    }),

    test('when an address is registered and invited at once, the UUID of every invitation is the member’s', async (storage) => {
      const { members, invitations } = storage;
      for (let round = 1; round <= 5; round += 1) {
        const email = `round-${round}@example.test`;
        const user = { ...newUser, email, uuid: testUuid(100 + round) };
        const entry = aNewMember(user);
        // Opens the connections of the storage's pool.
        await atOnce(20, () => invitations.byId(testUuid(1)));
        const answers = await atOnce(20, async (index) =>
          index % 5 === 0
            ? members.register(entry)
            : invitations.findOrCreatePending(anInvitation(100 * round + index, { email })),
        );
        const joined = answers.filter((answer) => typeof answer === 'object' && 'joinedAt' in answer);
        const [member] = (await members.listByEmail({ organizationId: 1, after: null, limit: 1, email })) as [
          Member,
        ];
        expectEqual(joined.length, 1);
        for (const answer of answers)
          if (typeof answer === 'object' && 'userUuid' in answer) expectEqual(answer.userUuid, member.uuid);
        const [current] = await invitations.current({ organizationId: 1, emails: [email] });
        expectEqual(current?.revokedAt ?? null, null);
        const pending = await invitations.list({ organizationId: 1, state: 'pending', offset: 0, limit: 9 });
        expectEqual(pending.total, 0);
      }
    }),

    test('when two organizations register one new person at once, there is one user, with both memberships', async ({
      members,
      users,
    }) => {
      for (let round = 1; round <= 5; round += 1) {
        const email = `both-${round}@example.test`;
        const answers = await atOnce(2, (index) =>
          members.register(
            aNewMember(aNewUser(100 * round + index, { email }), { organizationId: index + 1 }),
          ),
        );
        expectOneSuccess(answers, 'account-exists');
        const user = await users.byEmail(email);
        expectTrue(user !== null, 'there is no user');
        const { id } = user as User;
        const late = answers.indexOf('account-exists');
        await members.register(aNewMember({ id }, { organizationId: late + 1 }));
        for (const organizationId of [1, 2]) {
          const found = await members.listByEmail({ organizationId, after: null, limit: 9, email });
          expectEqual(
            found.map((member) => member.user.id),
            [id],
          );
        }
      }
    }),

    test('of 20 acceptances of one invitation at once, one succeeds, with one member and one event', async (storage) => {
      await storage.invitations.findOrCreatePending(invitationOfNewUser(1));
      const answers = await atOnce(20, (index) =>
        storage.members.register(newMember({ idpId: null, invitationId: idOf(1) }), () => [event(1, index)]),
      );
      expectOneSuccess(answers, 'invitation-closed');
      expectEqual((await storage.deliveries.list({ organizationId: 1, limit: 50 })).length, 1);
      expectEqual((await storage.invitations.byId(idOf(1)))?.acceptedAt, noon);
    }),

    test('of 20 registrations of one user at once, one succeeds', async (storage) => {
      const answers = await atOnce(20, (index) =>
        storage.members.register(aNewMember({ id: 2 }), () => [event(1, index)]),
      );
      expectOneSuccess(answers, 'already-member');
      expectEqual((await storage.deliveries.list({ organizationId: 1, limit: 50 })).length, 1);
    }),
  ];
}
