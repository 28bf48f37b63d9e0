/// <reference path="./oidc-provider.d.ts" />

import { createServer } from 'node:https';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import { suiteCertificates } from '#core/testing/certificates.js';
import { client } from './bendable-provider.js';
import { endServer, listen } from './listen.js';

/**
 * An identity provider as others run it, over loopback: oidc-provider. The person is the `login_hint`, and signs in by one
 * press. As with Okta, the address of a person is only at userinfo.
 */
export async function startWholeProvider(redirectUris: readonly string[]) {
  let handle: ReturnType<Provider['callback']> = async () => {};
  const server = createServer(
    suiteCertificates.trusted,
    (request, response) => void handle(request, response),
  );
  const issuer = `https://localhost:${await listen(server)}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const provider = new Provider(issuer, {
    clients: [
      {
        ...{ client_id: client.id, client_secret: client.secret, redirect_uris: redirectUris },
        ...{ grant_types: ['authorization_code'], response_types: ['code'] },
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    claims: { openid: ['sub'], email: ['email'], profile: ['name'] },
    async findAccount(_context: unknown, id: string) {
      const claims = { sub: id, email: `${id}@north.example`, name: 'Ana Lopez' };
      return { accountId: id, claims: async () => claims };
    },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
    cookies: { keys: ['a key of the tests'] },
    pkce: { required: () => true },
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: '1' }] },
  });
  const answer = provider.callback();
  handle = async (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return answer(request, response);
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    if (request.method === 'GET' && prompt.name === 'login') {
      response.setHeader('Content-Type', 'text/html');
      return void response.end('<form method="post"><button>Sign in at the provider</button></form>');
    }
    if (prompt.name === 'login')
      return provider.interactionFinished(request, response, { login: { accountId: params.login_hint } });
    const grant = new provider.Grant({ accountId: session?.accountId, clientId: params.client_id });
    grant.addOIDCScope(params.scope ?? '');
    return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
  };
  return {
    issuer,
    stop: () => endServer(server),
  };
}
