import { publicOperation } from '../operation.js';

/** Section 4.1. */
export const authenticate = publicOperation('authenticate', async ({ core, input, address, identified }) => {
  const { token } = await core.authenticate({ accessKey: input.access_key, address, identified });
  return { token: token.reveal() };
});
