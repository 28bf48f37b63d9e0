import type { Invitation, NewInvitation } from '../../../users/ports/invitations.js';
import { aMembership } from '../../dataset.js';
import { atOnce, type ContractTest, expectEqual, expectOneSuccess } from '../../expect.js';
import { anInvitation, idOf } from '../../new-invitation.js';
import { aNewMember } from '../../new-member.js';
import { later, noon } from '../../noon.js';
import { recordingJournal } from '../../recording-journal.js';
import type { MakeTest } from '../../start-storage.js';
import { renewal } from './sample-invitations.js';

export function idpIdTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('an invitation keeps its idpId, and the pending one without an idpId gets the first that is given', async (storage) => {
      const { invitations } = storage;
      const stored = await invitations.findOrCreatePending(withIdpId(1, 'a'));
      expectEqual(stored, { ...withIdpId(1, 'a'), acceptedAt: null, revokedAt: null });
      expectEqual(await invitations.byId(idOf(1)), stored);
      const again = (idpId: string | null) =>
        invitations.findOrCreatePending(anInvitation(1, { id: idOf(11), idpId }));
      expectEqual([await again(null), await again('a'), await again('b')], [stored, stored, 'other-idp-id']);

      const without = (await invitations.findOrCreatePending(anInvitation(2))) as Invitation;
      const later = { ...withIdpId(2, 'b'), id: idOf(12), firstName: 'Other', userUuid: idOf(99) };
      expectEqual(await invitations.findOrCreatePending(later), { ...without, idpId: 'b' });
      expectEqual(await invitations.byId(idOf(2)), { ...without, idpId: 'b' });
      expectEqual((await invitations.list({ organizationId: 1, offset: 0, limit: 9 })).total, 2);
    }),

    test('a pending invitation has an idpId that no member and no other pending invitation of the organization has', async (storage) => {
      const { invitations, members } = storage;
      await members.register(aNewMember({ id: 1 }, { idpId: 'a' }));
      await invitations.findOrCreatePending(withIdpId(2, 'b'));
      await invitations.findOrCreatePending(anInvitation(3));
      expectEqual(await invitations.findOrCreatePending(withIdpId(4, 'a')), 'idp-id-of-member');
      expectEqual(await invitations.findOrCreatePending(withIdpId(4, 'b')), 'idp-id-of-invitation');
      expectEqual(await invitations.findOrCreatePending(withIdpId(3, 'a')), 'idp-id-of-member');
      expectEqual(await invitations.findOrCreatePending(withIdpId(3, 'b')), 'idp-id-of-invitation');
      expectEqual([await invitations.byId(idOf(4)), (await invitations.byId(idOf(3)))?.idpId], [null, null]);

      const elsewhere = { ...withIdpId(5, 'a'), organizationId: 2 };
      expectEqual(typeof (await invitations.findOrCreatePending(elsewhere)), 'object');
      await invitations.revoke({ organizationId: 1, invitationId: idOf(2), at: later });
      expectEqual(typeof (await invitations.findOrCreatePending(withIdpId(4, 'b'))), 'object');
    }),

    test('of 20 invitations with one idpId at once, one is stored or changed', async ({ invitations }) => {
      for (let number = 0; number < 10; number += 1)
        await invitations.findOrCreatePending(anInvitation(number));
      const answers = await atOnce(20, (index) => invitations.findOrCreatePending(withIdpId(index, 'a')));
      expectOneSuccess(answers, 'idp-id-of-invitation');
      const { invitations: listed } = await invitations.list({ organizationId: 1, offset: 0, limit: 99 });
      expectEqual(listed.filter(({ idpId }) => idpId === 'a').length, 1);
    }),

    test('only a change makes an audit entry', async ({ invitations }) => {
      const { seen, journal } = recordingJournal();
      const invite = (fresh: NewInvitation) => invitations.findOrCreatePending(fresh, journal);
      await invite(anInvitation(1));
      await invite(withIdpId(2, 'b'));
      expectEqual(seen.length, 2);
      await invite(withIdpId(1, 'b'));
      await invite(withIdpId(2, 'a'));
      await invite(withIdpId(2, 'b'));
      await invite(anInvitation(1));
      expectEqual(seen.length, 2);
      await invite(withIdpId(1, 'a'));
      expectEqual(seen.length, 3);
    }),

    test('a member gets the idpId of the accepted invitation, unless the registration gives one', async (storage) => {
      const { invitations, members } = storage;
      for (const [userId, given, expected] of [
        [1, null, 'a'],
        [2, 'c', 'c'],
      ] as const) {
        await invitations.findOrCreatePending(withIdpId(userId, userId === 1 ? 'a' : 'b'));
        const entry = aNewMember({ id: userId }, { idpId: given, invitationId: idOf(userId) });
        const member = await members.register(entry);
        expectEqual(typeof member === 'object' && member.idpId, expected);
        expectEqual((await members.byIdpId({ organizationId: 1, idpId: expected }))?.user.id, userId);
      }
    }),

    test('when an invitation and another member get one idpId at once, exactly one of them gets it', async (storage) => {
      const { invitations, members, load } = storage;
      await load({ memberships: [aMembership(1)] });
      // Opens the connections of the storage's pool.
      await atOnce(20, () => members.byUserId({ organizationId: 1, userId: 1 }));
      for (let round = 1; round <= 24; round += 1) {
        const idpId = `round-${round}`;
        await invitations.findOrCreatePending(anInvitation(round));
        const member = () =>
          round % 2 === 0
            ? members.setIdpId({ organizationId: 1, userId: 1, idpId })
            : members.register(aNewMember({ id: 2 }, { idpId }));
        const invited = [
          () => invitations.findOrCreatePending(withIdpId(200 + round, idpId)),
          () => invitations.findOrCreatePending(withIdpId(round, idpId)),
          () => invitations.renew(renewal(round, 100 + round, { idpId })),
        ] as const;
        const answers: readonly unknown[] = await Promise.all([member(), invited[round % 3]?.()]);
        expectEqual(answers.filter((answer) => typeof answer === 'object').length, 1);
        await members.remove({ organizationId: 1, userId: 2, at: noon });
      }
    }),
  ];
}

function withIdpId(number: number, idpId: string): NewInvitation {
  return anInvitation(number, { idpId });
}
