import type { ProviderLogout } from '@rollcall/core';
import type { jwtVerify } from 'jose';
import { Untrusted } from './failure.js';
import type { ProviderKeys } from './provider-keys.js';
import { isTokenText, tokenTextRule } from './token-text.js';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const MAX_TOKEN_CHARACTERS = 20_000;

interface ReadLogoutToken {
  readonly token: string;
  readonly keys: ProviderKeys;
  readonly algorithms: string[];
  readonly issuer: string;
  readonly clientId: string;
  readonly at: Date;
  readonly toleranceSeconds: number;
  readonly maxAgeSeconds: number;
}

/** Reads a logout token (OpenID Connect Back-Channel Logout 1.0). Throws unless it proves a sign-out. */
export async function readLogoutToken(
  jose: { readonly jwtVerify: typeof jwtVerify },
  { token, keys, algorithms, issuer, clientId, at, toleranceSeconds, maxAgeSeconds }: ReadLogoutToken,
): Promise<ProviderLogout> {
  if (token.length > MAX_TOKEN_CHARACTERS) throw new Untrusted('the token is too long');
  const { payload } = await jose.jwtVerify(token, keys.find, {
    ...{ issuer, audience: clientId, algorithms, typ: 'logout+jwt' },
    ...{ currentDate: at, clockTolerance: toleranceSeconds, maxTokenAge: maxAgeSeconds },
    requiredClaims: ['iat', 'jti', 'events'],
  });
  const { events, sub, sid, nonce, jti } = payload;
  if (nonce !== undefined) throw new Untrusted('the token has a nonce: it is an ID token');
  if (typeof jti !== 'string' || jti === '') throw new Untrusted('the token has no jti');
  const event = Object(events)[EVENT];
  if (typeof event !== 'object' || event === null) throw new Untrusted('the token is not about a sign-out');
  const logout = { subject: textOrNull('sub', sub), sid: textOrNull('sid', sid) };
  if (logout.subject === null && logout.sid === null)
    throw new Untrusted('the token has neither sub nor sid');
  return logout;
}

function textOrNull(name: string, value: unknown): string | null {
  if (value === undefined) return null;
  if (isTokenText(value)) return value;
  throw new Untrusted(`${name} ${tokenTextRule}`);
}
