import type { Invitation } from '../../../users/ports/invitations.js';
import { aUser } from '../../dataset.js';
import { type ContractTest, expectEqual } from '../../expect.js';
import { anInvitation, idOf } from '../../new-invitation.js';
import { aNewMember } from '../../new-member.js';
import { later, minutes, noon } from '../../noon.js';
import type { MakeTest } from '../../start-storage.js';
import { invitationOfNewUser, newUser } from '../members/new-member.js';
import { numberOf, renewal } from './sample-invitations.js';

const soon = minutes(1);

export function expiryTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('revokeExpired revokes the pending invitations of the organization that have expired by then', async (storage) => {
      const { invitations, members } = storage;
      const invite = (number: number, fields: Parameters<typeof anInvitation>[1]) =>
        invitations.findOrCreatePending(anInvitation(number, fields));
      await invite(1, { expiresAt: soon, idpId: 'a' });
      await invite(2, { expiresAt: later });
      await invite(3, {});
      await invite(4, { expiresAt: soon, organizationId: 2 });
      await invite(5, { expiresAt: soon });
      await members.register(aNewMember({ id: 1 }, { invitationId: idOf(5) }));
      const revoked = async (organizationId = 1) => {
        const found = await invitations.find({ organizationId, state: 'revoked', limit: 9 });
        return found.map((one) => [numberOf(one), one.revokedAt]);
      };
      await invitations.revokeExpired({ organizationId: 1, at: noon });
      expectEqual(await revoked(), []);
      await invitations.revokeExpired({ organizationId: 1, at: soon });
      await invitations.revokeExpired({ organizationId: 1, at: soon });
      expectEqual([await revoked(), await revoked(2)], [[[1, soon]], []]);
      expectEqual((await invitations.byId(idOf(5)))?.revokedAt, null);
      const again = await invite(6, { email: anInvitation(1).email, idpId: 'a' });
      expectEqual(typeof again === 'object' && [again.id, again.expiresAt], [idOf(6), null]);
    }),

    test('an invitation that has expired is not accepted, and one that has not is', async (storage) => {
      const { invitations, members } = storage;
      await invitations.findOrCreatePending(invitationOfNewUser(1, { expiresAt: soon }));
      const entry = aNewMember({ id: 1 }, { invitationId: idOf(1), at: soon });
      expectEqual(await members.register(entry), 'invitation-closed');
      const member = await members.register(aNewMember(newUser, { at: soon }));
      expectEqual(typeof member === 'object' && member.uuid, newUser.uuid);
      expectEqual((await invitations.byId(idOf(1)))?.acceptedAt, null);

      await invitations.findOrCreatePending(anInvitation(2, { expiresAt: soon }));
      const accepted = await members.register(aNewMember({ id: 1 }, { invitationId: idOf(2), at: noon }));
      expectEqual(typeof accepted, 'object');
    }),

    test('a renewed invitation is valid as long as the old one was, unless it gets another end', async ({
      invitations,
    }) => {
      await invitations.findOrCreatePending(anInvitation(1, { expiresAt: soon }));
      const expiryOf = async (renewed: ReturnType<typeof renewal>) => {
        const answer = await invitations.renew(renewed);
        return typeof answer === 'object' && answer.expiresAt;
      };
      const length = soon.getTime() - noon.getTime();
      expectEqual(await expiryOf(renewal(1, 11)), new Date(later.getTime() + length));
      expectEqual(await expiryOf(renewal(11, 12, { expiresAt: null })), null);
      expectEqual(await expiryOf(renewal(12, 13)), null);
    }),
  ];
}

export function roleTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('inviter returns the user, and whether they are an owner now', async ({ invitations, members }) => {
      const inviterOf = (invitedBy: Invitation['invitedBy'], organizationId = 2) =>
        invitations.inviter({ organizationId, invitedBy });
      const by = { kind: 'user', userId: 1 } as const;
      const { id, email, firstName, lastName } = aUser(1);
      expectEqual(await inviterOf(by), { id, email, firstName, lastName, isOwner: false });
      await members.changeRole({ organizationId: 2, userId: 1, role: 'owner' });
      expectEqual([(await inviterOf(by))?.isOwner, (await inviterOf(by, 1))?.isOwner], [true, false]);
      expectEqual(await inviterOf({ kind: 'user', userId: 99 }), null);
      expectEqual([await inviterOf({ kind: 'access-key' }), await inviterOf(null)], [null, null]);
    }),
  ];
}
