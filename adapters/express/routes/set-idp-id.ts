import { callerOf, securedOperation } from '../operation.js';
import { userAnswer } from '../user-answer.js';

/** The only change to a user that the API offers. */
export const setIdpId = securedOperation('changeUser', async (call) => {
  const { core, organization, path, input } = call;
  const user = await core.setIdpId({
    organization,
    uuid: path.uuid ?? '',
    idpId: input.user.idp_id,
    by: callerOf(call),
  });
  return { success: true as const, user: userAnswer(user) };
});
