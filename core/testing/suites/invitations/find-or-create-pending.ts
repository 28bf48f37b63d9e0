import type { NewInvitation } from '../../../users/ports/invitations.js';
import { aUser, testUuid } from '../../dataset.js';
import { atOnce, type ContractTest, expectEqual, expectTrue } from '../../expect.js';
import { aNewInvitation } from '../../new-invitation.js';
import type { MakeTest } from '../../start-storage.js';
import { at, newMember } from '../members/new-member.js';

export function findOrCreatePendingTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('50 callers at once all get the same invitation, as first stored', async ({ invitations }) => {
      const answers = await atOnce(50, (index) => invitations.findOrCreatePending(aNewInvitation(index, at)));
      expectEqual(
        new Set(answers.map((answer) => (typeof answer === 'object' ? answer.id : answer))).size,
        1,
      );
      const again = await invitations.findOrCreatePending({ ...aNewInvitation(77, at), firstName: 'Other' });
      expectEqual(again, answers[0]);
      expectTrue(typeof again === 'object', 'the invitation must be pending');
      const stored = again as NewInvitation;
      expectEqual(again, {
        ...aNewInvitation(0, at),
        id: stored.id,
        userUuid: stored.userUuid,
        acceptedAt: null,
        revokedAt: null,
      });
    }),

    test('two organizations have separate invitations for the same address', async ({ invitations }) => {
      const one = await invitations.findOrCreatePending(aNewInvitation(1, at));
      const other = await invitations.findOrCreatePending({ ...aNewInvitation(2, at), organizationId: 2 });
      expectEqual(
        [one, other].map((answer) => (typeof answer === 'object' ? answer.id : answer)),
        [aNewInvitation(1, at).id, aNewInvitation(2, at).id],
      );
    }),

    test('a member cannot be invited, but a member of another organization can', async ({ invitations }) => {
      const { email } = aUser(1);
      expectEqual(
        await invitations.findOrCreatePending({ ...aNewInvitation(1, at), organizationId: 2, email }),
        'already-member',
      );
      const answer = await invitations.findOrCreatePending({ ...aNewInvitation(1, at), email });
      expectEqual(typeof answer === 'object' && answer.email, email);
    }),

    test('an unknown organization cannot invite', async ({ invitations }) => {
      const unknown = { ...aNewInvitation(1, at), organizationId: 99 };
      expectEqual(await invitations.findOrCreatePending(unknown), 'unknown-organization');
      expectEqual(await invitations.byId(unknown.id), null);
    }),

    test('an invitation is found by its id, and by its UUID in its own organization only', async (storage) => {
      const { invitations } = storage;
      const stored = await invitations.findOrCreatePending(aNewInvitation(1, at));
      const { id, userUuid } = aNewInvitation(1, at);
      expectEqual(await invitations.byId(id), stored);
      expectEqual(await invitations.byUserUuid({ organizationId: 1, uuid: userUuid }), stored);
      expectEqual(await invitations.byUserUuid({ organizationId: 2, uuid: userUuid }), null);
      expectEqual(await invitations.byId(testUuid(12345)), null);
    }),

    test('an accepted invitation is no longer pending', async (storage) => {
      await storage.invitations.findOrCreatePending(aNewInvitation(1, at));
      await storage.members.register({ ...newMember(), invitationId: aNewInvitation(1, at).id });
      expectEqual(await storage.invitations.findOrCreatePending(aNewInvitation(2, at)), 'already-member');
      expectEqual((await storage.invitations.byId(aNewInvitation(1, at).id))?.acceptedAt, at);
    }),
  ];
}
