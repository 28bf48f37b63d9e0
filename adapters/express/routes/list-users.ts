import { securedOperation } from '../operation.js';
import { userAnswer } from '../user-answer.js';

export const listUsers = securedOperation('listUsers', async ({ core, organization, input }) => {
  const { idp_id: idpId, ...request } = input;
  const { items, next } = await core.listUsers({ organization, idpId, ...request });
  return { success: true as const, users: items.map(userAnswer), next };
});
