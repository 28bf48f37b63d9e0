import { callerOf, securedOperation } from '../operation.js';

export const removeUser = securedOperation('removeUser', async (call) => {
  const { core, organization, path } = call;
  await core.removeUser({ organization, uuid: path.uuid ?? '', by: callerOf(call) });
  return { success: true as const };
});
