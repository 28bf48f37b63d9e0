import { securedOperation } from '../operation.js';
import { userAnswer } from '../user-answer.js';

/** The only change to a user that the API offers. */
export const setIdpId = securedOperation('changeUser', async (call) => {
  const { core, organization, path, input, by } = call;
  const user = await core.setIdpId({
    organization,
    uuid: path.uuid ?? '',
    idpId: input.user.idp_id,
    by,
  });
  return { success: true as const, user: userAnswer(user) };
});
