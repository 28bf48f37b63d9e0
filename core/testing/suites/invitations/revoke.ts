import type { Invitation } from '../../../users/ports/invitations.js';
import { atOnce, type ContractTest, expectEqual, expectOneSuccess } from '../../expect.js';
import { anInvitation, idOf } from '../../new-invitation.js';
import { aNewMember } from '../../new-member.js';
import { later, noon } from '../../noon.js';
import type { MakeTest } from '../../start-storage.js';

export function revokeTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('a revoked invitation cannot be accepted, and its address can be invited again', async (storage) => {
      const { invitations, members } = storage;
      const stored = (await invitations.findOrCreatePending(anInvitation(1))) as Invitation;
      const revoked = await invitations.revoke({ organizationId: 1, invitationId: stored.id, at: later });
      expectEqual(revoked, { ...stored, revokedAt: later });
      expectEqual(await invitations.byId(stored.id), revoked);
      const entry = aNewMember({ id: 1 }, { invitationId: stored.id });
      expectEqual(await members.register(entry), 'invitation-closed');
      const again = await invitations.findOrCreatePending(anInvitation(2, { email: stored.email }));
      expectEqual(typeof again === 'object' && again.id, idOf(2));
    }),

    test('when 20 callers revoke at once, one succeeds and the others get the reason', async (storage) => {
      const { invitations, members } = storage;
      await invitations.findOrCreatePending(anInvitation(1));
      const answers = await atOnce(20, () =>
        invitations.revoke({ organizationId: 1, invitationId: idOf(1), at: noon }),
      );
      expectOneSuccess(answers, 'revoked');

      await invitations.findOrCreatePending(anInvitation(2));
      await members.register(aNewMember({ id: 1 }, { invitationId: idOf(2) }));
      const revoke = (organizationId: number, number: number) =>
        invitations.revoke({ organizationId, invitationId: idOf(number), at: noon });
      expectEqual(
        [await revoke(1, 2), await revoke(1, 77), await revoke(2, 1)],
        ['accepted', 'unknown', 'unknown'],
      );
      expectEqual((await invitations.byId(idOf(2)))?.revokedAt, null);
    }),

    test('when revoking and accepting happen at once, exactly one succeeds', async (storage) => {
      const { invitations, members } = storage;
      await invitations.findOrCreatePending(anInvitation(1));
      const answers = await atOnce<unknown>(20, (index) =>
        index % 2 === 0
          ? invitations.revoke({ organizationId: 1, invitationId: idOf(1), at: noon })
          : members.register(aNewMember({ id: 1 }, { invitationId: idOf(1) })),
      );
      expectEqual(answers.filter((answer) => typeof answer === 'object').length, 1);
      const isMember = (await members.byUserId({ organizationId: 1, userId: 1 })) !== null;
      const { acceptedAt, revokedAt } = (await invitations.byId(idOf(1))) as Invitation;
      expectEqual([acceptedAt !== null, revokedAt !== null], [isMember, !isMember]);
    }),
  ];
}
