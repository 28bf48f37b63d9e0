import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { suiteCertificates } from '#core/testing/certificates.js';
import { endServer, listen } from './listen.js';

type Json = Readonly<Record<string, unknown>>;

/** What the provider does wrong. Each is given the right value. */
export interface Bends {
  metadata?: (right: Json) => unknown;
  keys?: (right: readonly JWK[]) => unknown;
  header?: (right: Json) => Json;
  claims?: (right: JWTPayload) => JWTPayload;
  /** Makes the ID token. */
  token?: (claims: JWTPayload) => Promise<string> | string;
  /** Signs with this key instead of its own. */
  key?: Parameters<SignJWT['sign']>[0];
  tokens?: (right: Json) => Json;
  userinfo?: (right: Json) => Json;
  /** Answers a request in place of the provider. */
  answer?: (path: string, response: ServerResponse) => boolean;
}

interface Asked {
  readonly nonce: string;
  readonly challenge: string;
  readonly redirectUri: string;
}

export const client = { id: 'rollcall', secret: 'client-secret' };

/** An identity provider over loopback that can be bent. Unbent, it does what the specifications ask for. */
export async function startBendableProvider(alg = 'RS256') {
  let kid = 1;
  let pair = await generateKeyPair(alg, { extractable: true });
  const bends: Bends = {};
  const codes = new Map<string, Asked>();
  const requests: {
    readonly path: string;
    readonly body: string;
    readonly headers: IncomingMessage['headers'];
  }[] = [];
  /** Who signs in. The ID token has no address, as with Okta. */
  const person = { sub: 'ana', email: 'ana@north.example', name: 'Ana Lopez' };

  const sign = (claims: JWTPayload, header: Json = {}): Promise<string> => {
    const right = { alg, kid: String(kid), ...header };
    return new SignJWT(claims)
      .setProtectedHeader((bends.header?.(right) ?? right) as { alg: string })
      .sign(bends.key ?? pair.privateKey);
  };
  const answers: Readonly<Record<string, (body: URLSearchParams) => unknown>> = {
    '/.well-known/openid-configuration': () => {
      const right = {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        userinfo_endpoint: `${issuer}/userinfo`,
        id_token_signing_alg_values_supported: [alg],
        token_endpoint_auth_methods_supported: ['client_secret_post'],
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
        backchannel_logout_supported: true,
      };
      return bends.metadata?.(right) ?? right;
    },
    '/keys': async () => {
      const keys = [{ ...(await exportJWK(pair.publicKey)), alg, kid: String(kid), use: 'sig' }];
      return { keys: bends.keys?.(keys) ?? keys };
    },
    '/userinfo': () => bends.userinfo?.(person) ?? person,
    async '/token'(body) {
      const asked = codes.get(body.get('code') ?? '');
      codes.delete(body.get('code') ?? '');
      const challenge = createHash('sha256')
        .update(body.get('code_verifier') ?? '')
        .digest('base64url');
      if (body.get('client_secret') !== client.secret) throw new Error('invalid_client');
      if (asked?.challenge !== challenge || asked.redirectUri !== body.get('redirect_uri'))
        throw new Error('invalid_grant');
      const now = Math.floor(Date.now() / 1000);
      const right = { iss: issuer, aud: client.id, sub: person.sub, iat: now, exp: now + 300 };
      const all = { ...right, nonce: asked.nonce, sid: 'session 1' };
      const claims = bends.claims?.(all) ?? all;
      const id_token = await (bends.token?.(claims) ?? sign(claims));
      const tokens = { access_token: 'access', token_type: 'Bearer', expires_in: 300, id_token };
      return bends.tokens?.(tokens) ?? tokens;
    },
  };
  const server = createServer(suiteCertificates.trusted, async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const path = request.url ?? '';
    requests.push({ path, body, headers: request.headers });
    if (bends.answer?.(path, response)) return;
    try {
      const json = await answers[path]?.(new URLSearchParams(body));
      response.writeHead(json === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(json));
    } catch (error) {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ error: (error as Error).message, error_description: 'in its own words' }),
      );
    }
  });
  const issuer = `https://127.0.0.1:${await listen(server)}`;

  return {
    issuer,
    bends,
    requests,
    person,
    sign,
    /** How often a path was asked for. */
    count: (path: string) => requests.filter((one) => one.path === path).length,
    /** What the browser brings back after the person has signed in at this address. */
    signIn(address: string): URLSearchParams {
      const { searchParams: asked } = new URL(address);
      const code = `code ${codes.size + requests.length}`;
      codes.set(code, {
        nonce: asked.get('nonce') ?? '',
        challenge: asked.get('code_challenge') ?? '',
        redirectUri: asked.get('redirect_uri') ?? '',
      });
      return new URLSearchParams({ code, state: asked.get('state') ?? '', iss: issuer });
    },
    /** Signs with another key from now on. */
    async rotate() {
      kid += 1;
      pair = await generateKeyPair(alg, { extractable: true });
    },
    stop: () => endServer(server),
  };
}
