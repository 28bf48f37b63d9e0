import type { Member } from '../../../users/ports/members.js';
import { aMembership } from '../../dataset.js';
import { atOnce, type ContractTest, each, expectEqual } from '../../expect.js';
import { anInvitation } from '../../new-invitation.js';
import { aNewMember } from '../../new-member.js';
import { noon } from '../../noon.js';
import { recordingJournal } from '../../recording-journal.js';
import type { MakeTest } from '../../start-storage.js';

export function setIdpIdTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('setIdpId sets and removes the id of one member, unless another member of the organization has it', async (storage) => {
      const { members, load } = storage;
      await load({ memberships: [aMembership(1), aMembership(2, { idpId: 'taken' })] });
      const set = (userId: number, idpId: string | null, organizationId = 1) =>
        members.setIdpId({ organizationId, userId, idpId });
      const before = (await members.byUserId({ organizationId: 1, userId: 1 })) as Member;
      expectEqual(await set(1, 'idp-1'), { ...before, idpId: 'idp-1' });
      expectEqual(await members.byIdpId({ organizationId: 1, idpId: 'idp-1' }), {
        ...before,
        idpId: 'idp-1',
      });
      expectEqual(await set(1, 'taken'), 'idp-id-of-member');
      expectEqual((await members.byUserId({ organizationId: 1, userId: 1 }))?.idpId, 'idp-1');
      expectEqual((await members.byUserId({ organizationId: 2, userId: 1 }))?.idpId, 'idp-1');
      expectEqual(await set(1, 'TAKEN'), { ...before, idpId: 'TAKEN' });
      expectEqual(await set(1, null), before);
      expectEqual(await set(2, null), { ...(await members.byUserId({ organizationId: 1, userId: 2 })) });
      expectEqual(await set(1, 'taken'), { ...before, idpId: 'taken' });
      expectEqual(await set(9, 'idp-9'), 'not-a-member');
      expectEqual(await set(2, 'idp-9', 2), 'not-a-member');
    }),

    test('setIdpId tells the earlier id, and nothing if it is the same', async ({ members, load }) => {
      await load({ memberships: [aMembership(1)] });
      const { seen, journal } = recordingJournal<{ readonly before: string | null }>();
      for (const idpId of ['one', 'one', 'two', null])
        await members.setIdpId({ organizationId: 1, userId: 1, idpId }, journal);
      expectEqual(each(seen, 'before'), [null, 'one', 'two']);
    }),

    test('setIdpId and register refuse an id that another person’s pending invitation has', async (storage) => {
      const { members, invitations, load } = storage;
      await load({ memberships: [aMembership(1)] });
      const invited = anInvitation(3, { idpId: 'invited' });
      await invitations.findOrCreatePending(invited);
      const change = { organizationId: 1, userId: 1, idpId: 'invited' };
      const register = () => members.register(aNewMember({ id: 2 }, { idpId: 'invited' }));
      expectEqual(await members.setIdpId(change), 'idp-id-of-invitation');
      expectEqual(await register(), 'idp-id-of-invitation');
      expectEqual(await members.byUserId({ organizationId: 1, userId: 2 }), null);

      await invitations.revoke({ organizationId: 1, invitationId: invited.id, at: noon });
      const member = (await members.setIdpId(change)) as Member;
      expectEqual(member.idpId, 'invited');
      expectEqual(await register(), 'idp-id-of-member');
    }),

    test('setIdpId with `replaces` changes that id only, unless the member has the new id already', async (storage) => {
      const { members, load } = storage;
      await load({ memberships: [aMembership(1)] });
      const set = async (idpId: string | null, replaces: string | null | undefined) => {
        const changed = await members.setIdpId({ organizationId: 1, userId: 1, idpId, replaces });
        return typeof changed === 'object' ? changed.idpId : changed;
      };
      expectEqual(await set('a', 'b'), 'outdated');
      expectEqual(await set('a', null), 'a');
      expectEqual(await set('b', null), 'outdated');
      expectEqual(await set('b', 'A'), 'outdated');
      expectEqual(await set(null, 'b'), 'outdated');
      expectEqual(await set('a', null), 'a');
      expectEqual(await set('b', 'a'), 'b');
      expectEqual(await set('c', undefined), 'c');
      expectEqual(await set(null, 'c'), null);

      // Opens the connections of the storage's pool.
      await atOnce(20, () => members.byUserId({ organizationId: 1, userId: 1 }));
      const answers = await atOnce(20, (index) => set(`one ${index}`, null));
      const { idpId } = (await members.byUserId({ organizationId: 1, userId: 1 })) as Member;
      expectEqual(
        answers,
        answers.map((_answer, index) => (`one ${index}` === idpId ? idpId : 'outdated')),
      );
    }),

    test('when 20 callers give one id to several members at once, one member gets it', async (storage) => {
      const { members, load } = storage;
      await load({ memberships: [1, 2].map((userId) => aMembership(userId)) });
      // Opens the connections of the storage's pool.
      await atOnce(20, () => members.byUserId({ organizationId: 1, userId: 1 }));
      const answers = await atOnce(20, (index) =>
        members.setIdpId({ organizationId: 1, userId: 1 + (index % 2), idpId: 'one' }),
      );
      const holder = await members.byIdpId({ organizationId: 1, idpId: 'one' });
      expectEqual(
        answers.map((answer) => (typeof answer === 'object' ? answer.user.id : answer)),
        answers.map((_answer, index) =>
          1 + (index % 2) === holder?.user.id ? holder.user.id : 'idp-id-of-member',
        ),
      );
    }),
  ];
}
