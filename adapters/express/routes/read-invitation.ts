import { invitationAnswer } from '../invitation-answer.js';
import { securedOperation } from '../operation.js';

export const readInvitation = securedOperation('readInvitation', async ({ core, organization, path }) => {
  const invitation = await core.readInvitation({ organization, uuid: path.uuid ?? '' });
  return { success: true as const, invitation: invitationAnswer(invitation) };
});
