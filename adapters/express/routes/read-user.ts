import { securedOperation } from '../operation.js';
import { userAnswer } from '../user-answer.js';

export const readUser = securedOperation('readUser', async ({ core, organization, path }) => {
  const user = await core.readUser({ organization, uuid: path.uuid ?? '' });
  return { success: true as const, user: userAnswer(user) };
});
