import { invitationAnswer } from '../invitation-answer.js';
import { callerOf, securedOperation } from '../operation.js';

export const revokeInvitation = securedOperation(
  'revokeInvitation',
  async ({ core, organization, path, address }) => {
    const uuid = path.uuid ?? '';
    const invitation = await core.revokeInvitation({ organization, uuid, by: callerOf({ address }) });
    return { success: true as const, invitation: invitationAnswer(invitation) };
  },
);
