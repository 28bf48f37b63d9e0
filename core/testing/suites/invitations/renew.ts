import type { Invitation } from '../../../users/ports.js';
import { aUser } from '../../dataset.js';
import { atOnce, type ContractTest, expectEqual } from '../../expect.js';
import type { MakeTest } from '../../start-storage.js';
import { everything, idOf, invitation, later, newMember, renewal } from './sample-invitations.js';

export function renewTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('renew replaces the invitation with a pending one for the same person under the same UUID', async ({
      storage: { invitations, members },
    }) => {
      const old = (await invitations.findOrCreatePending(invitation(1))) as Invitation;
      const renewed = await invitations.renew(renewal(1, 2));
      const { fresh, retiredUuid } = renewal(1, 2);
      expectEqual(renewed, { ...old, ...fresh });
      expectEqual(await invitations.byId(fresh.id), renewed);
      expectEqual(await invitations.byId(old.id), { ...old, userUuid: retiredUuid, revokedAt: later });
      expectEqual(await invitations.byUserUuid({ organizationId: 1, uuid: old.userUuid }), renewed);
      expectEqual(await invitations.findOrCreatePending({ ...invitation(9), email: old.email }), renewed);
      const accept = (number: number) =>
        members.register({ ...newMember(1), invitationId: idOf(number) }, () => null);
      expectEqual(await accept(1), 'invitation-closed');
      expectEqual(typeof (await accept(2)), 'object');
    }),

    test('when 20 callers renew at once, one succeeds and the others get the reason', async ({
      storage: { invitations, members },
    }) => {
      await invitations.findOrCreatePending(invitation(1));
      const answers = await atOnce(20, (index) => invitations.renew(renewal(1, 10 + index)));
      expectEqual(answers.filter(isObject).length, 1);
      expectEqual(answers.filter((answer) => answer === 'revoked').length, 19);
      expectEqual((await invitations.list({ ...everything, state: 'pending' })).total, 1);

      await invitations.findOrCreatePending(invitation(2));
      await members.register({ ...newMember(1), invitationId: idOf(2) }, () => null);
      const others = [
        await invitations.renew(renewal(2, 40)),
        await invitations.renew(renewal(77, 41)),
        await invitations.renew({ ...renewal(1, 42), organizationId: 2 }),
      ];
      expectEqual(others, ['accepted', 'unknown', 'unknown']);
      expectEqual((await invitations.list(everything)).total, 3);
    }),

    test('an invitation whose address now belongs to a member is not renewed and stays as it was', async ({
      storage: { invitations, members, users },
    }) => {
      const { email } = invitation(1);
      const stored = await invitations.findOrCreatePending(invitation(1));
      await members.register(newMember(1), () => null);
      await users.setEmail({ from: aUser(1).email, to: email });
      expectEqual(await invitations.renew(renewal(1, 2)), 'already-member');
      expectEqual(await invitations.byId(idOf(1)), stored);
      expectEqual(await invitations.byId(idOf(2)), null);
    }),
  ];
}

function isObject(answer: unknown): boolean {
  return typeof answer === 'object';
}
