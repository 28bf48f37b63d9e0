import type { Invitation } from '../../../users/ports/invitations.js';
import { aUser } from '../../dataset.js';
import { atOnce, type ContractTest, expectEqual, expectOneSuccess } from '../../expect.js';
import { anInvitation, idOf } from '../../new-invitation.js';
import { aNewMember } from '../../new-member.js';
import { later, noon } from '../../noon.js';
import { recordingJournal } from '../../recording-journal.js';
import type { MakeTest } from '../../start-storage.js';
import { everything, renewal } from './sample-invitations.js';

export function renewTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('renew replaces the invitation with a pending one for the same person under the same UUID', async (storage) => {
      const { invitations, members } = storage;
      const old = (await invitations.findOrCreatePending(anInvitation(1))) as Invitation;
      const renewed = await invitations.renew(renewal(1, 2));
      const { fresh, retiredUuid } = renewal(1, 2);
      expectEqual(renewed, { ...old, ...fresh });
      expectEqual(await invitations.byId(fresh.id), renewed);
      expectEqual(await invitations.byId(old.id), { ...old, userUuid: retiredUuid, revokedAt: later });
      expectEqual(await invitations.byUserUuid({ organizationId: 1, uuid: old.userUuid }), renewed);
      expectEqual(await invitations.findOrCreatePending(anInvitation(9, { email: old.email })), renewed);
      const accept = (number: number) =>
        members.register(aNewMember({ id: 1 }, { invitationId: idOf(number) }));
      expectEqual(await accept(1), 'invitation-closed');
      expectEqual(typeof (await accept(2)), 'object');
    }),

    test('when 20 callers renew at once, one succeeds and the others get the reason', async (storage) => {
      const { invitations, members } = storage;
      await invitations.findOrCreatePending(anInvitation(1));
      const answers = await atOnce(20, (index) => invitations.renew(renewal(1, 10 + index)));
      expectOneSuccess(answers, 'replaced');
      expectEqual((await invitations.list({ ...everything, state: 'pending' })).total, 1);

      await invitations.findOrCreatePending(anInvitation(2));
      await members.register(aNewMember({ id: 1 }, { invitationId: idOf(2) }));
      const others = [
        await invitations.renew(renewal(2, 40)),
        await invitations.renew(renewal(77, 41)),
        await invitations.renew({ ...renewal(1, 42), organizationId: 2 }),
      ];
      expectEqual(others, ['accepted', 'unknown', 'unknown']);
      expectEqual((await invitations.find({ organizationId: 1, limit: 9 })).length, 3);
    }),

    test('renew can change the names and the idpId, of which it tells the earlier ones, and otherwise keeps them', async ({
      invitations,
    }) => {
      const open = { acceptedAt: null, revokedAt: null };
      await invitations.findOrCreatePending(anInvitation(1, { idpId: 'a' }));
      const kept = await invitations.renew(renewal(1, 11));
      const names = typeof kept === 'object' && [kept.firstName, kept.lastName, kept.idpId];
      expectEqual(names, ['Ana', 'Lopez', 'a']);
      const correction = { firstName: 'Anna', lastName: 'López', idpId: 'b' };
      const change = renewal(11, 12, correction);
      const { seen, journal } = recordingJournal();
      const renewed = await invitations.renew(change, journal);
      expectEqual(seen, [{ ...anInvitation(1), ...change.fresh, ...open, before: kept }]);
      expectEqual(renewed, { ...anInvitation(1), ...change.fresh, ...open });
      expectEqual(await invitations.byId(idOf(12)), renewed);
      const without = await invitations.renew(renewal(12, 13, { idpId: null }));
      expectEqual(typeof without === 'object' && [without.firstName, without.idpId], ['Anna', null]);
      expectEqual((await invitations.byId(idOf(12)))?.idpId, 'b');
    }),

    test('renew with `replaces` changes that idpId only, unless the invitation has the new one already', async (storage) => {
      const { invitations } = storage;
      const stored = await invitations.findOrCreatePending(anInvitation(1, { idpId: 'a' }));
      const renew = async (idpId: string | null | undefined, replaces: string | null, number = 1) => {
        const change = renewal(number, number + 10, idpId === undefined ? {} : { idpId });
        const renewed = await invitations.renew({ ...change, replaces });
        return typeof renewed === 'object' ? renewed.idpId : renewed;
      };
      expectEqual(await renew('b', null), 'outdated');
      expectEqual(await renew(null, 'b'), 'outdated');
      expectEqual([await invitations.byId(idOf(1)), await invitations.byId(idOf(11))], [stored, null]);
      expectEqual(await renew('a', null), 'a');
      expectEqual(await renew('b', 'a', 11), 'b');
      expectEqual(await renew(undefined, 'a', 21), 'b');
      expectEqual(await renew(null, 'b', 31), null);
    }),

    test('a revoked invitation is renewed under its UUID, and stays revoked since it was', async (storage) => {
      const { invitations } = storage;
      const { userUuid: uuid } = anInvitation(1);
      await invitations.findOrCreatePending(anInvitation(1));
      await invitations.revoke({ organizationId: 1, invitationId: idOf(1), at: noon });
      const renewed = await invitations.renew(renewal(1, 11));
      const { fresh, retiredUuid } = renewal(1, 11);
      expectEqual(renewed, { ...anInvitation(1), ...fresh, acceptedAt: null, revokedAt: null });
      expectEqual(await invitations.byUserUuid({ organizationId: 1, uuid }), renewed);
      expectEqual(await invitations.byId(idOf(1)), {
        ...anInvitation(1, { userUuid: retiredUuid }),
        ...{ acceptedAt: null, revokedAt: noon },
      });
      expectEqual(await invitations.renew(renewal(1, 12)), 'replaced');
      expectEqual(await invitations.byId(idOf(12)), null);
    }),

    test('of 20 renewals of two revoked invitations of one address at once, one succeeds', async (storage) => {
      const { invitations } = storage;
      for (const number of [1, 2]) {
        await invitations.findOrCreatePending(anInvitation(number, { email: anInvitation(1).email }));
        await invitations.revoke({ organizationId: 1, invitationId: idOf(number), at: noon });
      }
      const answers = await atOnce(20, (index) => invitations.renew(renewal(1 + (index % 2), 10 + index)));
      expectOneSuccess(answers, 'replaced');
      expectEqual((await invitations.list({ ...everything, state: 'pending' })).total, 1);
      expectEqual((await invitations.find({ organizationId: 1, limit: 9 })).length, 3);
    }),

    test('an invitation is not renewed with an idpId of another member or pending invitation, and stays as it was', async (storage) => {
      const { invitations, members } = storage;
      const stored = await invitations.findOrCreatePending(anInvitation(1, { idpId: 'a' }));
      await invitations.findOrCreatePending(anInvitation(2, { idpId: 'b' }));
      await members.register(aNewMember({ id: 1 }, { idpId: 'c' }));
      const renew = (idpId: string) => invitations.renew(renewal(1, 11, { idpId }));
      expectEqual([await renew('b'), await renew('c')], ['idp-id-of-invitation', 'idp-id-of-member']);
      expectEqual([await invitations.byId(idOf(1)), await invitations.byId(idOf(11))], [stored, null]);
      expectEqual(typeof (await renew('a')), 'object');

      await invitations.revoke({ organizationId: 1, invitationId: idOf(2), at: later });
      await invitations.findOrCreatePending(anInvitation(3, { idpId: 'b' }));
      expectEqual(await invitations.renew(renewal(2, 12)), 'idp-id-of-invitation');
      expectEqual(typeof (await invitations.renew(renewal(2, 12, { idpId: null }))), 'object');
    }),

    test('of 20 renewals that take one idpId at once, one succeeds', async ({ invitations }) => {
      for (let number = 0; number < 20; number += 1)
        await invitations.findOrCreatePending(anInvitation(number));
      const answers = await atOnce(20, (index) =>
        invitations.renew(renewal(index, 30 + index, { idpId: 'a' })),
      );
      expectOneSuccess(answers, 'idp-id-of-invitation');
      expectEqual((await invitations.list({ ...everything, state: 'pending' })).total, 20);
      const replaced = await invitations.find({ organizationId: 1, state: 'replaced', limit: 9 });
      expectEqual(replaced.length, 1);
    }),

    test('an invitation whose address now belongs to a member is not renewed and stays as it was', async (storage) => {
      const { invitations, members, users } = storage;
      const { email } = anInvitation(1);
      const stored = await invitations.findOrCreatePending(anInvitation(1));
      await members.register(aNewMember({ id: 1 }));
      await users.setEmail({ from: aUser(1).email, to: email });
      expectEqual(await invitations.renew(renewal(1, 2)), 'already-member');
      expectEqual(await invitations.byId(idOf(1)), stored);
      expectEqual(await invitations.byId(idOf(2)), null);
    }),
  ];
}
