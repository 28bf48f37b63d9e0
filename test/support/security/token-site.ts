import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { anOrganization, aUser } from '@rollcall/core/testing';
import type { Keyring } from '#adapters/node/crypto/keyring.js';
import { jwtTokens } from '#adapters/node/crypto/tokens.js';
import { pathOf, type securedCalls } from '../http/operations.js';
import { testNow } from '../test-service.js';
import { type Site, startSite } from './site.js';

export const unauthorized = '{"error":"Unauthorized Access"}';
export const DAY_MS = 24 * 60 * 60 * 1000;
/** A key that the service no longer accepts. */
export const previousKey = 'the previous key of the tests, 32+ characters';

export type TokenSite = Awaited<ReturnType<typeof startTokenSite>>;

/** A site with two organizations, each of which has a token. */
export async function startTokenSite() {
  const site = await startSite();
  await site.load({
    organizations: [anOrganization(1), anOrganization(2)],
    users: [aUser(1)],
    memberships: [{ organizationId: 1, userId: 1, role: 'owner', idpId: 'idp-1' }],
  });
  const own = await site.signIn(1);
  await site.signIn(2);
  return { site, own };
}

const readWebhook = { method: 'GET', path: '/webhook', sent: {} };

/** The answer of the operation to this header. */
export async function answer(
  { client }: Pick<Site, 'client'>,
  headers: Readonly<Record<string, string | readonly string[]>>,
  { method, path, sent }: Pick<(typeof securedCalls)[number], 'method' | 'path' | 'sent'> = readWebhook,
): Promise<string> {
  const reply = await client.send(method, pathOf(1, path), {
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat()])),
    ...sent,
  });
  return `${reply.status} ${reply.headers['x-error-code'] ?? ''} ${reply.text}`;
}

/** The answer to every token that is not valid. */
export const refused = `401 unauthorized-access ${unauthorized}`;

/** Each of the tokens must be refused. */
export async function refusesAll(
  site: Pick<Site, 'client'>,
  tokens: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, token] of Object.entries(tokens)) {
    assert.equal(await answer(site, { Authorization: `Bearer ${token}` }), refused, name);
  }
}

export const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

export function partsOf(token: string) {
  const [head = '', body = '', mac = ''] = token.split('.');
  const header = JSON.parse(Buffer.from(head, 'base64url').toString());
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
  return { head, body, mac, header, claims };
}

export function hmac(text: string, key: Parameters<typeof createHmac>[1], algorithm = 'sha256'): string {
  return createHmac(algorithm, key).update(text).digest('base64url');
}

/** A token of organization 1 that is signed with these keys. */
export async function issuedBy(keyring: Keyring): Promise<string> {
  const expiresAt = new Date(testNow.getTime() + DAY_MS);
  const claims = { organizationId: 1, generation: 1, issuedAt: testNow, expiresAt };
  return (await jwtTokens(keyring).issue(claims)).reveal();
}
