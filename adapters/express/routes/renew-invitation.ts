import { invitationAnswer } from '../invitation-answer.js';
import { securedOperation } from '../operation.js';

export const renewInvitation = securedOperation(
  'renewInvitation',
  async ({ core, organization, path, input, by }) => {
    const invitation = await core.renewInvitation({
      organization,
      uuid: path.uuid ?? '',
      firstName: input.first_name,
      lastName: input.last_name,
      idpId: input.idp_id,
      by,
    });
    return { success: true as const, invitation: invitationAnswer(invitation) };
  },
);
