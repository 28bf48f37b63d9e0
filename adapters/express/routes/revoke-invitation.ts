import { invitationAnswer } from '../invitation-answer.js';
import { securedOperation } from '../operation.js';

export const revokeInvitation = securedOperation(
  'revokeInvitation',
  async ({ core, organization, path, by }) => {
    const uuid = path.uuid ?? '';
    const invitation = await core.revokeInvitation({ organization, uuid, by });
    return { success: true as const, invitation: invitationAnswer(invitation) };
  },
);
