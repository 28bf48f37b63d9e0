import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { anOrganization, aUser, testUuid } from '@rollcall/core/testing';
import type { Keyring } from '#adapters/node/crypto/keyring.js';
import { jwtTokens } from '#adapters/node/crypto/tokens.js';
import { testNow } from '../test-service.js';
import { type Site, startSite } from './site.js';

export const unauthorized = '{"error":"Unauthorized Access"}';
export const DAY_MS = 24 * 60 * 60 * 1000;
/** A key that the service no longer accepts. */
export const previousKey = 'the previous key of the tests, 32+ characters';

export interface TokenSite {
  readonly site: Site;
  /** A valid token of organization 1, and its access key. */
  readonly own: { readonly id: number; readonly token: string; readonly accessKey: string };
}

/** A site with two organizations, each of which has a token. */
export async function startTokenSite(): Promise<TokenSite> {
  const site = await startSite();
  await site.load({
    organizations: [anOrganization(1), anOrganization(2)],
    users: [aUser(1)],
    memberships: [{ organizationId: 1, userId: 1, role: 'owner', idpId: 'idp-1' }],
  });
  const own = { id: 1, ...(await tokenOf(site, 1)) };
  await tokenOf(site, 2);
  return { site, own };
}

/** Generates an access key, and authenticates with it. */
export async function tokenOf({ core }: Pick<Site, 'core'>, organizationId: number) {
  const key = await core.generateAccessKey({ organizationId });
  const accessKey = key.accessKey.reveal();
  const { token } = await core.authenticate({ accessKey, address: 'a test' });
  return { token: token.reveal(), accessKey };
}

/** Every operation that needs a token. */
export const calls: readonly (readonly [method: string, path: string, json?: unknown])[] = [
  ['POST', '/invite_user', { email: 'a@b.test', first_name: 'A', last_name: 'B' }],
  ['POST', `/users/${testUuid(1)}/generate_otl_url`],
  ['POST', `/users/${testUuid(1)}/one_time_login_link`],
  ['GET', '/members/idp-1/upcoming_meetings'],
  ['GET', '/webhook'],
  ['POST', '/webhook', { webhook: { enabled: false } }],
  ['PATCH', '/webhook', { webhook: { enabled: false } }],
  ['GET', '/events'],
  ['GET', '/meeting_changes'],
  ['POST', '/webhook/finish_rotation'],
  ['GET', '/export_meetings?column=name'],
  ['POST', '/export_meetings', { column: ['name'] }],
];

/** The answer of the operation to this header. */
export async function answer(
  { client }: Pick<Site, 'client'>,
  headers: Readonly<Record<string, string | readonly string[]>>,
  [method, path, json]: (typeof calls)[number] = ['GET', '/webhook'],
): Promise<string> {
  const reply = await client.send(method, `/api/v2/organizations/1${path}`, {
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat()])),
    ...(json !== undefined && { json }),
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
