import { publicOperation } from '../operation.js';

/** Section 4.1. */
export const authenticate = publicOperation('authenticate', async ({ core, input, address }) => {
  const { token } = await core.authenticate({ accessKey: input.access_key, address });
  return { token: token.reveal() };
});
