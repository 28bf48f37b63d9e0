import { securedOperation } from '../operation.js';

export const removeUser = securedOperation('removeUser', async (call) => {
  const { core, organization, path, input, by } = call;
  const request = { organization, uuid: path.uuid ?? '', by };
  await (input.erase === '1' ? core.eraseMember(request) : core.removeUser(request));
  return { success: true as const };
});
