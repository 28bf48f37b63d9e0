import { facts } from './data.js';
import type { Measurement } from './measurement.js';
import { smallRequests } from './small.js';

/** Goal 8: a token for an access key. */
export const authenticate: Measurement = {
  name: 'authenticate',
  async run(bench) {
    const json = { access_key: facts.organizations.large.accessKey };
    const request = { method: 'POST', path: '/api/v2/authenticate', json } as const;
    return [await smallRequests(bench, { work: 'Authenticate', request, goal: 0.6, parse: withoutTimes })];
  },
};

/** The content of the token without its time of issue. */
function withoutTimes(body: Buffer): unknown {
  const { token, ...rest } = JSON.parse(body.toString()) as { readonly token: string };
  const [head = '', claims = '', signature = ''] = token.split('.');
  const { iat, exp, ...others } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  return { ...rest, head, claims: others, lifetime: exp - iat, signature: signature.length };
}
