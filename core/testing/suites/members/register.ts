import type { Member, Registered } from '../../../users/ports.js';
import { aUser, testUuid } from '../../dataset.js';
import { atOnce, type ContractTest, expectEqual, expectThrow, expectTrue } from '../../expect.js';
import { aNewInvitation } from '../../new-invitation.js';
import type { MakeTest } from '../../start-storage.js';
import { at, newMember, newUser, registeredEvent } from './new-member.js';

export function registerTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('register makes a new user a member and passes the facts for the event to buildEvent', async ({
      storage,
    }) => {
      const seen: Registered[] = [];
      const member = await storage.members.register(newMember(), (registered) => {
        seen.push(registered);
        return registeredEvent(1);
      });

      expectTrue(typeof member === 'object', `register answered ${String(member)}`);
      const { user } = member as Member;
      expectEqual(member, { organizationId: 1, user, uuid: testUuid(70), role: 'member', idpId: 'idp-9' });
      const { passwordHash, ...fields } = newUser;
      expectEqual(user, { id: user.id, avatar: null, ...fields });
      expectEqual(seen, [{ organization: await storage.organizations.byId(1), member, webhook: null }]);
      expectEqual(await storage.members.byUuid({ organizationId: 1, uuid: testUuid(70) }), member);
      expectEqual(await storage.users.passwordHash(user.id), 'hash');
      const [delivery] = await storage.deliveries.list({ organizationId: 1, limit: 10 });
      expectEqual(
        [delivery?.eventId, delivery?.body, delivery?.state],
        [registeredEvent(1).id, registeredEvent(1).body, 'pending'],
      );
    }),

    test('register accepts an existing user, with the user’s own UUID if none is given', async ({
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

    test('nothing is kept if buildEvent throws', async ({ storage }) => {
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
        'a second attempt must succeed',
      );
    }),

    test('register returns the reason for a failure, and then stores nothing', async ({
      storage: { members, users },
      load,
    }) => {
      await load({ memberships: [{ organizationId: 1, userId: 2, role: 'member', idpId: 'taken' }] });
      const buildEvent = () => registeredEvent(1);
      const answers = [
        await members.register({ ...newMember(), user: { ...newUser, email: aUser(1).email } }, buildEvent),
        await members.register({ ...newMember(), user: { id: 2 } }, buildEvent),
        await members.register({ ...newMember(), idpId: 'taken' }, buildEvent),
        await members.register({ ...newMember(), invitationId: testUuid(99) }, buildEvent),
      ];
      expectEqual(answers, ['account-exists', 'already-member', 'idp-id-taken', 'invitation-closed']);
      expectEqual(await users.byEmail(newUser.email), null);
    }),

    test('register for an unknown organization returns that, builds no event and stores nothing', async ({
      storage: { members, users },
    }) => {
      let calls = 0;
      const buildEvent = () => {
        calls += 1;
        return null;
      };
      const unknown = { ...newMember(), organizationId: 99 };
      expectEqual(await members.register(unknown, buildEvent), 'unknown-organization');
      expectEqual(
        await members.register({ ...unknown, user: { id: 2 } }, buildEvent),
        'unknown-organization',
      );
      expectEqual([calls, await users.byEmail(newUser.email)], [0, null]);
    }),

    test('of 20 acceptances of one invitation at once, one succeeds, with one member and one event', async ({
      storage,
    }) => {
      await storage.invitations.findOrCreatePending(aNewInvitation(1, at));
      const answers = await atOnce(20, (index) =>
        storage.members.register(
          { ...newMember(), idpId: null, invitationId: aNewInvitation(1, at).id },
          () => registeredEvent(index),
        ),
      );
      expectEqual(answers.filter((answer) => typeof answer === 'object').length, 1);
      expectEqual(answers.filter((answer) => answer === 'invitation-closed').length, 19);
      expectEqual((await storage.deliveries.list({ organizationId: 1, limit: 50 })).length, 1);
      expectEqual((await storage.invitations.byId(aNewInvitation(1, at).id))?.acceptedAt, at);
    }),

    test('of 20 registrations of one user at once, one succeeds', async ({ storage }) => {
      const answers = await atOnce(20, (index) =>
        storage.members.register({ ...newMember(), user: { id: 2 }, uuid: null, idpId: null }, () =>
          registeredEvent(index),
        ),
      );
      expectEqual(answers.filter((answer) => typeof answer === 'object').length, 1);
      expectEqual(answers.filter((answer) => answer === 'already-member').length, 19);
      expectEqual((await storage.deliveries.list({ organizationId: 1, limit: 50 })).length, 1);
    }),
  ];
}
