import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, type TestContext, test } from 'node:test';
import { testUuid } from '@rollcall/core/testing';
import { formTokens } from '#adapters/node/crypto/form-tokens.js';
import { createKeyring } from '#adapters/node/crypto/keyring.js';
import { jwtTokens } from '#adapters/node/crypto/tokens.js';
import { sqlPorts } from '#adapters/sql/index.js';
import { importDataset } from '#adapters/sql/maintenance/import.js';
import type { OrganizationRecord } from '#adapters/sql/maintenance/index.js';
import { securedCalls } from '../support/http/operations.js';
import { startSite } from '../support/security/site.js';
import {
  answer,
  DAY_MS,
  hmac,
  issuedBy,
  partsOf,
  previousKey,
  refused,
  refusesAll,
  startTokenSite,
  type TokenSite,
  unauthorized,
} from '../support/security/token-site.js';
import { startSqliteDatabase } from '../support/storage.js';
import { testNow, testSecretKey } from '../support/test-service.js';

let site: TokenSite['site'];
let own: TokenSite['own'];
before(async () => {
  ({ site, own } = await startTokenSite());
});
after(() => site.stop());

describe('Our other secrets', () => {
  test('are not tokens: invitation, login link, session, form token, access key, and their hashes', async () => {
    const { core, keyring, ports } = site;
    const person = { email: 'dana@example.test', firstName: 'Dana', lastName: 'Kim' };
    const { invitationUrl } = await core.inviteUser({ organization: { id: 1 }, ...person });
    const link = await core.issueLoginLink({ organization: { id: 1 }, uuid: testUuid(1) });
    const session = ports.secrets.newToken('session');
    const [hash = ''] = ports.secrets.accessKeyHashes(own.accessKey);
    await refusesAll(site, {
      'the token of an invitation': invitationUrl.split('/').at(-1) ?? '',
      'the token of a login link': link.url.split('/').at(-1) ?? '',
      'a session': session.token.reveal(),
      'the hash of a session': session.hash,
      'a form token': formTokens(keyring).issue(session.token.reveal()),
      'the access key': own.accessKey,
      'the hash of the access key': hash,
      'a signing secret': ports.secrets.newSigningSecret().reveal(),
      'random bytes': randomBytes(32).toString('base64url'),
    });
  });
});

describe('A token', () => {
  test('is valid for one day, to the second', async () => {
    const { clock, core } = site;
    const { token } = await core.authenticate({ accessKey: own.accessKey, address: 'a test' });
    const header = { Authorization: `Bearer ${token.reveal()}` };
    clock.set(new Date(testNow.getTime() + DAY_MS - 1));
    assert.match(await answer(site, header), /^200 /);
    clock.set(new Date(testNow.getTime() + DAY_MS));
    for (const call of securedCalls) assert.equal(await answer(site, header, call), refused);
    clock.set(testNow);
  });

  test('signed with a previous key is accepted while that key is configured, but not with its id and another key', async () => {
    const old = await issuedBy(createKeyring({ secretKey: previousKey, previousSecretKeys: [] }));
    const both = createKeyring({ secretKey: testSecretKey, previousSecretKeys: [previousKey] });
    assert.equal((await jwtTokens(both).read(old))?.organizationId, 1);
    const { head: oldHead } = partsOf(old);
    const { body } = partsOf(own.token);
    const text = `${oldHead}.${body}`;
    const mixed = `${text}.${hmac(text, both.current.keys.token)}`;
    assert.equal(await jwtTokens(both).read(mixed), null);
  });

  test('of a removed organization is 401 Unauthorized Access, with its own path or another', async (t) => {
    const { removableSite, remove } = await startRemovableSite(t);
    const { token } = await removableSite.signIn(1);
    const header = { Authorization: `Bearer ${token}` };
    assert.match(await answer(removableSite, header), /^200 /);
    await remove();
    for (const call of securedCalls) assert.equal(await answer(removableSite, header, call), refused);
    const elsewhere = { method: 'GET', path: '/api/v2/organizations/2/webhook', headers: header };
    const { status, text } = await removableSite.client.send(elsewhere.method, elsewhere.path, elsewhere);
    assert.deepEqual([status, text], [401, unauthorized]);
  });

  test('of a removed organization is not valid for another organization that gets its number', async (t) => {
    const { removableSite, remove, add } = await startRemovableSite(t);
    const { token } = await removableSite.signIn(1);
    const header = { Authorization: `Bearer ${token}` };
    await remove();
    await add('Southwind');
    assert.equal(await answer(removableSite, header), refused);
    removableSite.clock.advance(60_000);
    await removableSite.signIn(1);
    assert.equal(await answer(removableSite, header), refused);
  });
});

/** A site whose organization 1 can be removed, as an import does. */
async function startRemovableSite(t: TestContext) {
  const { database, stop } = await startSqliteDatabase();
  const removableSite = await startSite({ database: 'sqlite', ports: sqlPorts(database) });
  t.after(async () => {
    await removableSite.stop();
    await stop();
  });
  const load = async (record: OrganizationRecord): Promise<void> => {
    await importDataset(database, batches([{ line: 1, record }]), { at: testNow });
  };
  const add = (name: string) => load({ kind: 'organization', id: 1, name });
  await add('Northwind');
  return { removableSite, add, remove: () => load({ kind: 'organization', id: 1, deleted: true }) };
}

async function* batches<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  yield items;
}
