import { field, open } from '../operation.js';

/** Section 4.1. Any JSON of a wrong shape is a wrong access key (decision 30). */
export const authenticate = open('authenticate', async ({ core, input, address }) => {
  const { token } = await core.authenticate({ accessKey: field(input, 'access_key'), address: address() });
  return { token: token.reveal() };
});
