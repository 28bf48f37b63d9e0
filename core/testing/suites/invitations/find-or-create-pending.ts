import type { NewInvitation } from '../../../users/ports/invitations.js';
import { aUser, testUuid } from '../../dataset.js';
import { atOnce, type ContractTest, expectEqual, expectTrue } from '../../expect.js';
import { anInvitation, idOf } from '../../new-invitation.js';
import type { MakeTest } from '../../start-storage.js';
import { invitationOfNewUser } from '../members/new-member.js';

export function findOrCreatePendingTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('50 callers at once all get the same invitation, as first stored', async ({ invitations }) => {
      const answers = await atOnce(50, (index) =>
        invitations.findOrCreatePending(invitationOfNewUser(index)),
      );
      const again = await invitations.findOrCreatePending(invitationOfNewUser(77, { firstName: 'Other' }));
      for (const answer of answers) expectEqual(answer, again);
      expectTrue(typeof again === 'object', 'the invitation must be pending');
      const { id, userUuid } = again as NewInvitation;
      const first = invitationOfNewUser(0, { id, userUuid });
      expectEqual(again, { ...first, acceptedAt: null, revokedAt: null });
    }),

    test('two organizations have separate invitations for the same address', async ({ invitations }) => {
      const one = await invitations.findOrCreatePending(invitationOfNewUser(1));
      const other = await invitations.findOrCreatePending(invitationOfNewUser(2, { organizationId: 2 }));
      expectEqual(
        [one, other].map((answer) => (typeof answer === 'object' ? answer.id : answer)),
        [idOf(1), idOf(2)],
      );
    }),

    test('a member cannot be invited, but a member of another organization can', async ({ invitations }) => {
      const { email } = aUser(1);
      const own = anInvitation(1, { organizationId: 2, email });
      expectEqual(await invitations.findOrCreatePending(own), 'already-member');
      const answer = await invitations.findOrCreatePending(anInvitation(1, { email }));
      expectEqual(typeof answer === 'object' && answer.email, email);
    }),

    test('an unknown organization cannot invite', async ({ invitations }) => {
      const unknown = invitationOfNewUser(1, { organizationId: 99 });
      expectEqual(await invitations.findOrCreatePending(unknown), 'unknown-organization');
      expectEqual(await invitations.byId(unknown.id), null);
    }),

    test('an invitation is found by its id, and by its UUID in its own organization only', async (storage) => {
      const { invitations } = storage;
      const stored = await invitations.findOrCreatePending(invitationOfNewUser(1));
      const { id, userUuid } = invitationOfNewUser(1);
      expectEqual(await invitations.byId(id), stored);
      expectEqual(await invitations.byUserUuid({ organizationId: 1, uuid: userUuid }), stored);
      expectEqual(await invitations.byUserUuid({ organizationId: 2, uuid: userUuid }), null);
      expectEqual(await invitations.byId(testUuid(12345)), null);
    }),
  ];
}
