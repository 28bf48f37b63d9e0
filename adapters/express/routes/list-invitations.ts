import { invitationAnswer } from '../invitation-answer.js';
import { securedOperation } from '../operation.js';

export const listInvitations = securedOperation('listInvitations', async ({ core, organization, input }) => {
  const { idp_id: idpId, ...request } = input;
  const { items, next } = await core.findInvitations({ organization, idpId, ...request });
  return { success: true as const, invitations: items.map(invitationAnswer), next };
});
