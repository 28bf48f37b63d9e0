import { invitationAnswer } from '../invitation-answer.js';
import { securedOperation } from '../operation.js';

export const listInvitations = securedOperation('listInvitations', async ({ core, organization, input }) => {
  const { items, next } = await core.findInvitations({ organization, ...input });
  return { success: true as const, invitations: items.map(invitationAnswer), next };
});
