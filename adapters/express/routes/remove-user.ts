import { callerOf, securedOperation } from '../operation.js';

export const removeUser = securedOperation('removeUser', async (call) => {
  const { core, organization, path, input } = call;
  const request = { organization, uuid: path.uuid ?? '', by: callerOf(call) };
  await (input.erase === '1' ? core.eraseMember(request) : core.removeUser(request));
  return { success: true as const };
});
