import type { Invitation, ListedState } from '../../../users/ports/invitations.js';
import { aUser } from '../../dataset.js';
import { type ContractTest, expectEqual } from '../../expect.js';
import { anInvitation, idOf } from '../../new-invitation.js';
import { aNewMember } from '../../new-member.js';
import { later, minutes, noon } from '../../noon.js';
import type { MakeTest } from '../../start-storage.js';
import { invitationOfNewUser, newUser } from '../members/new-member.js';
import { everything, numberOf, renewal } from './sample-invitations.js';

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

    test('list and find show what has expired by then as revoked, without a change', async ({
      invitations,
    }) => {
      const { email } = anInvitation(1);
      await invitations.findOrCreatePending(anInvitation(1));
      await invitations.renew(renewal(1, 11, { createdAt: noon, expiresAt: soon }));
      await invitations.findOrCreatePending(anInvitation(2, { expiresAt: later }));
      const listed = async (at: Date | undefined, state?: ListedState) => {
        const query = { ...everything, at, state };
        const { invitations: found, counts } = await invitations.list(query);
        const newest = await invitations.find({ ...query, isNewest: true });
        expectEqual(newest.map(numberOf), found.map(numberOf));
        return [found.map((one) => [numberOf(one), one.revokedAt]), counts.pending, counts.revoked];
      };
      const before = [
        [
          [11, null],
          [2, null],
        ],
        2,
        0,
      ];
      const after = [
        [
          [11, soon],
          [2, null],
        ],
        1,
        1,
      ];
      for (const at of [undefined, noon]) expectEqual(await listed(at), before);
      expectEqual(await listed(soon), after);
      expectEqual(await listed(soon, 'pending'), [[[2, null]], 1, 1]);
      expectEqual(await listed(soon, 'revoked'), [[[11, soon]], 1, 1]);
      const states = async (at: Date) => {
        const found = [];
        for (const state of ['replaced', 'revoked'] as const)
          found.push(
            (await invitations.find({ organizationId: 1, email, at, state, limit: 9 })).map(numberOf),
          );
        return found;
      };
      expectEqual(
        [await states(noon), await states(soon)],
        [
          [[1], []],
          [[], [11, 1]],
        ],
      );
      expectEqual(await listed(undefined), before);
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
