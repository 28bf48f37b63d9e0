import { createHmac, type KeyObject } from 'node:crypto';
import { Secret, type TokenClaims, type Tokens } from '@rollcall/core';
import { sameText } from './compare.js';
import type { Keyring, MasterKey } from './keyring.js';

const ISSUER = 'rollcall';
const AUDIENCE = 'rollcall-api';
const MAX_TOKEN_CHARACTERS = 2048;
/** Verified tokens are remembered, because a partner calls with the same token many times. */
const MAX_REMEMBERED_TOKENS = 1000;
/** The last second that a `Date` can represent. */
const LAST_SECOND = 8_640_000_000_000;

/**
 * JSON Web Tokens with HMAC-SHA256, written and checked without a library: a check takes a tenth of jose's time. The
 * header of a token must be exactly the one that we write for a known key, so that no other algorithm, `none` or `crit`
 * is ever considered.
 */
export function jwtTokens(keyring: Keyring): Tokens {
  const headers = new Map(keyring.all.map((master) => [header(master), master.keys.token]));
  const currentHeader = header(keyring.current);
  const remembered = new Map<string, TokenClaims>();

  return {
    async issue(claims) {
      const signed = `${currentHeader}.${encode(payload(claims))}`;
      return new Secret(`${signed}.${signature(signed, keyring.current.keys.token)}`);
    },
    async read(token) {
      const known = remembered.get(token);
      if (known !== undefined) return known;
      const claims = verify(token, headers);
      if (claims === null) return null;
      const [oldest] = remembered.keys();
      if (remembered.size >= MAX_REMEMBERED_TOKENS && oldest !== undefined) remembered.delete(oldest);
      remembered.set(token, claims);
      return claims;
    },
  };
}

function verify(token: string, headers: ReadonlyMap<string, KeyObject>): TokenClaims | null {
  if (token.length > MAX_TOKEN_CHARACTERS) return null;
  const parts = token.split('.', 4);
  const [head = '', body = '', mac = ''] = parts;
  const key = headers.get(head);
  if (parts.length !== 3 || key === undefined) return null;
  if (!sameText(mac, signature(`${head}.${body}`, key))) return null;
  return readPayload(body);
}

function header(master: MasterKey): string {
  return encode({ alg: 'HS256', typ: 'JWT', kid: master.id });
}

function payload(claims: TokenClaims): object {
  return {
    iss: ISSUER,
    aud: AUDIENCE,
    sub: String(claims.organizationId),
    gen: claims.generation,
    iat: seconds(claims.issuedAt),
    exp: seconds(claims.expiresAt),
  };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value), 'utf8').toString('base64url');
}

function signature(text: string, key: KeyObject): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

/** Reads the claims of a body whose signature is valid. */
function readPayload(body: string): TokenClaims | null {
  const { iss, aud, sub, gen, iat, exp } = parseObject(body);
  if (iss !== ISSUER || aud !== AUDIENCE) return null;
  if (typeof sub !== 'string' || !/^[1-9]\d{0,15}$/.test(sub) || !Number.isSafeInteger(Number(sub)))
    return null;
  if (!isWhole(gen, Number.MAX_SAFE_INTEGER) || !isWhole(iat, LAST_SECOND) || !isWhole(exp, LAST_SECOND))
    return null;
  return {
    organizationId: Number(sub),
    generation: gen,
    issuedAt: new Date(iat * 1000),
    expiresAt: new Date(exp * 1000),
  };
}

function parseObject(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function isWhole(value: unknown, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max;
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
