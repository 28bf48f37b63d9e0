import { type BenchOrganization, facts, smallOrganizations } from './data.js';
import type { BenchRequest } from './measure.js';
import type { Measurement } from './measurement.js';
import { smallRequests } from './small.js';

/** Goal 8: a token for an access key. */
export const authenticate: Measurement = {
  name: 'authenticate',
  alsoLoaded: true,
  async run(bench) {
    const goal = 0.65;
    const parse = withoutTimes;
    const one = [requestOf(facts.organizations.large)];
    const many = smallOrganizations.map(requestOf);
    return [
      await smallRequests(bench, { work: 'Authenticate', requests: one, goal, parse }),
      await smallRequests(bench, {
        ...{ work: `Authenticate ${many.length} organizations in turn`, requests: many, goal, parse },
      }),
    ];
  },
};

function requestOf({ accessKey }: BenchOrganization): BenchRequest {
  return { method: 'POST', path: '/api/v2/authenticate', json: { access_key: accessKey } };
}

/** The content of the token without its time of issue. */
function withoutTimes(body: Buffer): unknown {
  const { token, ...rest } = JSON.parse(body.toString()) as { readonly token: string };
  const [head = '', claims = '', signature = ''] = token.split('.');
  const { iat, exp, ...others } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  return { ...rest, head, claims: others, lifetime: exp - iat, signature: signature.length };
}
