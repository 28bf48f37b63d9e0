import type { Invitation } from '../../../users/ports/invitations.js';
import { aUser } from '../../dataset.js';
import { type ContractTest, expectEqual } from '../../expect.js';
import { anInvitation, idOf } from '../../new-invitation.js';
import { aNewMember } from '../../new-member.js';
import { noon } from '../../noon.js';
import type { MakeTest } from '../../start-storage.js';
import { numberOf, renewal } from './sample-invitations.js';

export function currentTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('current returns for each address the pending invitation, or the one that its member accepted', async (storage) => {
      const { invitations, members } = storage;
      const emails = [1, 2, 3, 4].map((number) => anInvitation(number).email);
      const current = async (organizationId = 1) => {
        const found = await invitations.current({ organizationId, emails });
        return found.map(numberOf).sort((one, other) => one - other);
      };
      const first = (await invitations.findOrCreatePending(anInvitation(1))) as Invitation;
      expectEqual(await invitations.current({ organizationId: 1, emails: [first.email] }), [first]);
      await invitations.renew(renewal(1, 11));
      await invitations.findOrCreatePending(anInvitation(2));
      await invitations.revoke({ organizationId: 1, invitationId: idOf(2), at: noon });
      await invitations.findOrCreatePending(
        anInvitation(9, { organizationId: 2, email: emails[2] as string }),
      );
      expectEqual(await current(), [11]);
      expectEqual(await current(2), [9]);
      expectEqual(await invitations.current({ organizationId: 1, emails: [] }), []);

      const { email } = aUser(1);
      await invitations.findOrCreatePending(anInvitation(5, { email }));
      await invitations.renew(renewal(5, 15));
      const { userUuid: uuid } = anInvitation(5);
      await members.register(aNewMember({ id: 1 }, { uuid, invitationId: idOf(15) }));
      const [accepted, ...others] = await invitations.current({ organizationId: 1, emails: [email, email] });
      expectEqual([accepted?.id, accepted?.acceptedAt, others.length], [idOf(15), noon, 0]);
    }),
  ];
}
