import assert from 'node:assert/strict';
import { createHmac, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import { after, before, describe, type TestContext, test } from 'node:test';
import { anOrganization, aUser, testUuid } from '@rollcall/core/testing';
import { createKeyring, type Keyring } from '#adapters/node/crypto/keyring.js';
import { formTokens } from '#adapters/node/crypto/secrets.js';
import { jwtTokens } from '#adapters/node/crypto/tokens.js';
import { sqlPorts } from '#adapters/sql/index.js';
import { importDataset } from '#adapters/sql/maintenance/import.js';
import type { OrganizationRecord } from '#adapters/sql/maintenance/index.js';
import { exchangeBytes, type Site, startSite } from '../support/security/site.js';
import { startSqliteDatabase } from '../support/storage.js';
import { testNow, testSecretKey } from '../support/test-service.js';

const unauthorized = '{"error":"Unauthorized Access"}';
const day = 24 * 60 * 60 * 1000;
const previousKey = 'the previous key of the tests, 32+ characters';

let site: Site;
let own: { readonly id: number; readonly token: string; readonly accessKey: string };
before(async () => {
  site = await startSite();
  await site.load({
    organizations: [anOrganization(1), anOrganization(2)],
    users: [aUser(1)],
    memberships: [{ organizationId: 1, userId: 1, role: 'owner', idpId: 'idp-1' }],
  });
  own = { id: 1, ...(await tokenOf(site, 1)) };
  await tokenOf(site, 2);
});
after(() => site.stop());

async function tokenOf({ core }: Pick<Site, 'core'>, organizationId: number) {
  const key = await core.generateAccessKey({ organizationId });
  const accessKey = key.accessKey.reveal();
  const { token } = await core.authenticate({ accessKey, address: 'a test' });
  return { token: token.reveal(), accessKey };
}

/** Every operation that needs a token. */
const calls: readonly (readonly [method: string, path: string, json?: unknown])[] = [
  ['POST', '/invite_user', { email: 'a@b.test', first_name: 'A', last_name: 'B' }],
  ['POST', `/users/${testUuid(1)}/generate_otl_url`],
  ['POST', `/users/${testUuid(1)}/one_time_login_link`],
  ['GET', '/members/idp-1/upcoming_meetings'],
  ['GET', '/webhook'],
  ['POST', '/webhook', { webhook: { enabled: false } }],
  ['PATCH', '/webhook', { webhook: { enabled: false } }],
  ['GET', '/export_meetings?column=name'],
  ['POST', '/export_meetings', { column: ['name'] }],
];

/** The answer of the operation to this header. */
async function answer(
  headers: Readonly<Record<string, string | readonly string[]>>,
  [method, path, json]: (typeof calls)[number] = ['GET', '/webhook'],
  { client }: Pick<Site, 'client'> = site,
): Promise<string> {
  const reply = await client.send(method, `/api/v2/organizations/1${path}`, {
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat()])),
    ...(json !== undefined && { json }),
  });
  return `${reply.status} ${reply.headers['x-error-code'] ?? ''} ${reply.text}`;
}

const refused = `401 unauthorized-access ${unauthorized}`;

async function refusesAll(tokens: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, token] of Object.entries(tokens)) {
    assert.equal(await answer({ Authorization: `Bearer ${token}` }), refused, name);
  }
}

// ── Making tokens by hand ──────────────────────────────────────────────────────────────────────────────────

const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

function partsOf(token: string) {
  const [head = '', body = '', mac = ''] = token.split('.');
  const header = JSON.parse(Buffer.from(head, 'base64url').toString());
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
  return { head, body, mac, header, claims };
}

function hmac(text: string, key: Parameters<typeof createHmac>[1], algorithm = 'sha256'): string {
  return createHmac(algorithm, key).update(text).digest('base64url');
}

/** Signed with our own key, so that only the header or the claims can be the reason of a refusal. */
function signed(header: unknown, claims: unknown): string {
  const text = `${encode(header)}.${encode(claims)}`;
  return `${text}.${hmac(text, site.keyring.current.keys.token)}`;
}

describe('A forged token', () => {
  test('the valid token is accepted in every operation, so that the refusals below are about the forgeries', async () => {
    for (const call of calls) {
      assert.match(await answer({ Authorization: `Bearer ${own.token}` }, call), /^200 /);
    }
    const { header, claims } = partsOf(own.token);
    assert.equal(signed(header, claims), own.token);
  });

  test('without a signature, with any spelling of “none”, is 401 in every operation', async () => {
    const { body, mac, header } = partsOf(own.token);
    for (const alg of ['none', 'None', 'NONE', 'nOnE', '', 'null', ' none', 'none\u0000']) {
      for (const signature of ['', mac]) {
        for (const call of signature === '' && alg === 'none' ? calls : calls.slice(4, 5)) {
          const token = `${encode({ ...header, alg })}.${body}.${signature}`;
          assert.equal(await answer({ Authorization: `Bearer ${token}` }, call), refused, alg);
        }
      }
    }
    await refusesAll({
      'two parts': own.token.slice(0, own.token.lastIndexOf('.')),
      'an empty signature': own.token.slice(0, own.token.lastIndexOf('.') + 1),
      'alg null': `${encode({ ...header, alg: null })}.${body}.`,
      'no alg': `${encode({ typ: 'JWT', kid: header.kid })}.${body}.${mac}`,
      'an empty header': `.${body}.${mac}`,
    });
  });

  test('with another algorithm is 401, even with our key', async () => {
    const { body, header } = partsOf(own.token);
    const key = site.keyring.current.keys.token;
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = publicKey.export({ type: 'spki', format: 'pem' });
    const rsa = `${encode({ ...header, alg: 'RS256' })}.${body}`;
    const withAlgorithm = (alg: string, hash: string, secret: Parameters<typeof createHmac>[1]): string => {
      const text = `${encode({ ...header, alg })}.${body}`;
      return `${text}.${hmac(text, secret, hash)}`;
    };
    await refusesAll({
      HS384: withAlgorithm('HS384', 'sha384', key),
      HS512: withAlgorithm('HS512', 'sha512', key),
      hs256: withAlgorithm('hs256', 'sha256', key),
      'HS256 with a space': withAlgorithm('HS256 ', 'sha256', key),
      'RS256 by a key of ours to choose': `${rsa}.${createSign('sha256').update(rsa).sign(privateKey, 'base64url')}`,
      'HS256 under a public key': withAlgorithm('HS256', 'sha256', pem),
      'RS256 that is an HMAC': withAlgorithm('RS256', 'sha256', key),
      'HS256 that is a plain SHA-256': `${encode(header)}.${body}.${encode('x')}`,
    });
  });

  test('signed with another key is 401', async () => {
    const { head, body } = partsOf(own.token);
    const text = `${head}.${body}`;
    const { keys, id } = site.keyring.current;
    const stranger = createKeyring({
      secretKey: 'a wholly different secret key, 32+',
      previousSecretKeys: [],
    });
    const previous = createKeyring({ secretKey: previousKey, previousSecretKeys: [] });
    const others = Object.entries(keys).filter(([purpose]) => purpose !== 'token');
    await refusesAll({
      'a stranger’s, under its own id': await issuedBy(stranger),
      'a stranger’s, under our id': `${text}.${hmac(text, stranger.current.keys.token)}`,
      'one that may not be used any more': await issuedBy(previous),
      'one that may not be used any more, under our id': `${text}.${hmac(text, previous.current.keys.token)}`,
      'the empty key': `${text}.${hmac(text, '')}`,
      'a NUL': `${text}.${hmac(text, '\0')}`,
      'the key’s id': `${text}.${hmac(text, id)}`,
      'the operator’s secret itself': `${text}.${hmac(text, testSecretKey)}`,
      'the access key': `${text}.${hmac(text, own.accessKey)}`,
      'the token itself': `${text}.${hmac(text, own.token)}`,
      ...Object.fromEntries(
        others.map(([purpose, key]) => [`our key for ${purpose}`, `${text}.${hmac(text, key)}`]),
      ),
    });
  });

  test('with another header is 401, even if signed with our key', async () => {
    const { header, claims } = partsOf(own.token);
    const jwk = { kty: 'oct', k: encode('x'), kid: header.kid };
    const headers = {
      'no key id': { alg: 'HS256', typ: 'JWT' },
      'an unknown key id': { ...header, kid: '00000000' },
      'an empty key id': { ...header, kid: '' },
      'a key id that is a path': { ...header, kid: '../../../../dev/null' },
      'a key id that is SQL': { ...header, kid: "' UNION SELECT 'x" },
      'a key id of the prototype': { ...header, kid: '__proto__' },
      'a key id in capitals': { ...header, kid: header.kid.toUpperCase() },
      'a key id twice': `{"alg":"HS256","typ":"JWT","kid":"x","kid":"${header.kid}"}`,
      'a key in it': { ...header, jwk },
      'a URL of keys': { ...header, jku: 'https://example.test/keys' },
      'a URL of a certificate': { ...header, x5u: 'https://example.test/cert' },
      'a certificate in it': { ...header, x5c: ['MIIB'] },
      'a critical extension': { ...header, crit: ['exp'] },
      'an unencoded payload': { ...header, crit: ['b64'], b64: false },
      compressed: { ...header, zip: 'DEF' },
      'another type': { ...header, typ: 'at+jwt' },
      'no type': { alg: 'HS256', kid: header.kid },
      'another order': { kid: header.kid, typ: 'JWT', alg: 'HS256' },
      'spaces inside': JSON.stringify(header).replaceAll(',', ', '),
      'a byte order mark': `\ufeff${JSON.stringify(header)}`,
      'no JSON': 'HS256',
      'an array': [header],
    };
    await refusesAll(
      Object.fromEntries(Object.entries(headers).map(([name, other]) => [name, signed(other, claims)])),
    );
  });

  test('with other claims is 401, even if signed with our key', async () => {
    const { header, claims } = partsOf(own.token);
    const { exp, iat, gen } = claims;
    const bodies = {
      'another issuer': { ...claims, iss: 'else' },
      'an issuer in capitals': { ...claims, iss: 'ROLLCALL' },
      'a list of issuers': { ...claims, iss: ['rollcall'] },
      'no issuer': { ...claims, iss: undefined },
      'another audience': { ...claims, aud: 'rollcall' },
      'a list of audiences': { ...claims, aud: ['rollcall-api'] },
      'no audience': { ...claims, aud: undefined },
      'no subject': { ...claims, sub: undefined },
      'a number as the subject': { ...claims, sub: 1 },
      'a subject of another spelling': { ...claims, sub: '01' },
      'a subject with a space': { ...claims, sub: '1 ' },
      'a list as the subject': { ...claims, sub: ['1'] },
      'a subject past 2^53': { ...claims, sub: '9007199254740993' },
      'a subject of nobody': { ...claims, sub: '999' },
      'a text as the end': { ...claims, exp: String(exp) },
      'no end': { ...claims, exp: undefined },
      'null as the end': { ...claims, exp: null },
      'an end that is a fraction': { ...claims, exp: exp + 0.5 },
      'an end before 1970': { ...claims, exp: -1 },
      'an end after all days': JSON.stringify(claims).replace(String(exp), '1e999'),
      'an end that is over': { ...claims, exp: testNow.getTime() / 1000 },
      'a text as the beginning': { ...claims, iat: String(iat) },
      'no beginning': { ...claims, iat: undefined },
      'no generation': { ...claims, gen: undefined },
      'a text as the generation': { ...claims, gen: String(gen) },
      'an earlier generation': { ...claims, gen: gen - 1 },
      'a later generation': { ...claims, gen: gen + 1 },
      'true as the generation': { ...claims, gen: true },
      'claims in a prototype': `{"__proto__":${JSON.stringify(claims)}}`,
      'a list of claims': [claims],
      'no JSON': 'x',
      nothing: '',
      null: 'null',
    };
    await refusesAll(
      Object.fromEntries(Object.entries(bodies).map(([name, other]) => [name, signed(header, other)])),
    );
  });

  test('with any of its characters changed, removed or doubled is 401', async () => {
    const { token } = own;
    for (let at = 0; at < token.length; at += 1) {
      const character = token[at] ?? '';
      // Another one that differs in its last bit, so that unused bits of base64url are changed as well.
      const other = neighbour(character);
      for (const forged of [
        `${token.slice(0, at)}${other}${token.slice(at + 1)}`,
        `${token.slice(0, at)}${token.slice(at + 1)}`,
        `${token.slice(0, at)}${character}${token.slice(at)}`,
      ]) {
        if (forged === token) continue;
        assert.equal(await answer({ Authorization: `Bearer ${forged}` }), refused, `${at}: ${forged}`);
      }
    }
  });

  test('with its parts in another form is 401', async () => {
    const { token } = own;
    const { head, body, mac } = partsOf(token);
    await refusesAll({
      'one part': head,
      'a part more': `${token}.`,
      'a part before': `.${token}`,
      'four parts': `${token}.${mac}`,
      'five parts, as if encrypted': `${head}.${body}.${mac}.${mac}.${mac}`,
      'parts in another order': `${body}.${head}.${mac}`,
      padding: `${token}=`,
      'padding in every part': `${head}=.${body}==.${mac}=`,
      'base64 in the place of base64url': token.replaceAll('-', '+').replaceAll('_', '/').concat('='),
      'hexadecimal signature': `${head}.${body}.${Buffer.from(mac, 'base64url').toString('hex')}`,
      'a shorter signature': token.slice(0, -4),
      'a longer signature': `${token}AAAA`,
      'all zeros as the signature': `${head}.${body}.${'A'.repeat(43)}`,
      twice: `${token}${token}`,
      'very long': `${token}${'A'.repeat(9000)}`,
      'our own text': 'undefined',
    });
    const serialised = { payload: body, protected: head, signature: mac };
    for (const json of [serialised, { payload: body, signatures: [{ protected: head, signature: mac }] }]) {
      assert.equal(await answer({ Authorization: `Bearer ${JSON.stringify(json)}` }), refused);
      assert.equal(await answer({ Authorization: `Bearer ${encode(json)}` }), refused);
    }
  });
});

/** The character that differs in its lowest bit of base64url. */
function neighbour(character: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const at = alphabet.indexOf(character);
  return at < 0 ? '_' : (alphabet[at ^ 1] ?? '_');
}

async function issuedBy(keyring: Keyring): Promise<string> {
  const expiresAt = new Date(testNow.getTime() + day);
  const claims = { organizationId: 1, generation: 1, issuedAt: testNow, expiresAt };
  return (await jwtTokens(keyring).issue(claims)).reveal();
}

describe('Our other secrets', () => {
  test('are not tokens: invitation, login link, session, form token, access key, and their hashes', async () => {
    const { core, keyring, ports } = site;
    const person = { email: 'dana@example.test', firstName: 'Dana', lastName: 'Kim' };
    const { invitationUrl } = await core.inviteUser({ organization: { id: 1 }, ...person });
    const link = await core.issueLoginLink({ organization: { id: 1 }, uuid: testUuid(1) });
    const session = ports.secrets.newToken('session');
    const [hash = ''] = ports.secrets.accessKeyHashes(own.accessKey);
    await refusesAll({
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

describe('A token after its time', () => {
  test('is valid for one day, to the second', async () => {
    const { clock, core } = site;
    const { token } = await core.authenticate({ accessKey: own.accessKey, address: 'a test' });
    const header = { Authorization: `Bearer ${token.reveal()}` };
    clock.set(new Date(testNow.getTime() + day - 1));
    assert.match(await answer(header), /^200 /);
    clock.set(new Date(testNow.getTime() + day));
    for (const call of calls) assert.equal(await answer(header, call), refused);
    clock.set(testNow);
  });

  test('is invalid once its access key is replaced, in every operation', async () => {
    const before = await tokenOf(site, 1);
    const { core } = site;
    await core.generateAccessKey({ organizationId: 1 });
    for (const call of calls) {
      assert.equal(await answer({ Authorization: `Bearer ${before.token}` }, call), refused);
    }
    own = { id: 1, ...(await tokenOf(site, 1)) };
  });

  test('is accepted with a previous key while the operator configures it, and not with its id on another key', async () => {
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
    const { removing, remove } = await removable(t);
    const { token } = await tokenOf(removing, 1);
    const header = { Authorization: `Bearer ${token}` };
    assert.match(await answer(header, calls[4], removing), /^200 /);
    await remove();
    for (const call of calls) assert.equal(await answer(header, call, removing), refused);
    const elsewhere = { method: 'GET', path: '/api/v2/organizations/2/webhook', headers: header };
    const { status, text } = await removing.client.send(elsewhere.method, elsewhere.path, elsewhere);
    assert.deepEqual([status, text], [401, unauthorized]);
  });

  test('of a removed organization is not valid for another organization that gets its number', async (t) => {
    const { removing, remove, add } = await removable(t);
    const { token } = await tokenOf(removing, 1);
    const header = { Authorization: `Bearer ${token}` };
    await remove();
    await add('Southwind');
    assert.equal(await answer(header, calls[4], removing), refused);
    removing.clock.advance(60_000);
    await tokenOf(removing, 1);
    assert.equal(await answer(header, calls[4], removing), refused);
  });
});

/** A site over a database from which organization 1 can be removed, as the import does. */
async function removable(t: TestContext) {
  const { database, stop } = await startSqliteDatabase();
  const removing = await startSite({ database: 'sqlite', ports: sqlPorts(database) });
  t.after(async () => {
    await removing.stop();
    await stop();
  });
  const load = async (record: OrganizationRecord): Promise<void> => {
    await importDataset(database, batches([{ line: 1, record }]), { at: testNow });
  };
  const add = (name: string) => load({ kind: 'organization', id: 1, name });
  await add('Northwind');
  return { removing, add, remove: () => load({ kind: 'organization', id: 1, deleted: true }) };
}

async function* batches<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  yield items;
}

describe('The header with the token', () => {
  test('is read with its scheme in any case, and with several spaces', async () => {
    for (const value of ['Bearer', 'bearer', 'BEARER', 'bEaReR', 'Bearer  ']) {
      assert.match(await answer({ Authorization: `${value} ${own.token}` }), /^200 /);
    }
    assert.match(await answer({ authorization: `Bearer ${own.token}` }), /^200 /);
  });

  test('must be given once: two are 401, even if one of them is valid', async () => {
    const right = `Bearer ${own.token}`;
    for (const values of [
      [right, right],
      [right, 'Bearer x'],
      ['Bearer x', right],
      ['Basic eDp5', right],
      [right, ''],
      ['', right],
    ]) {
      for (const call of calls) assert.equal(await answer({ Authorization: values }, call), refused);
    }
    for (const joined of [`${right}, ${right}`, `${right},${own.token}`, `x, ${right}`, `${right}; x`]) {
      assert.equal(await answer({ Authorization: joined }), refused);
    }
  });

  test('must be given once, also if it is folded, repeated in another case or written by hand', async () => {
    const right = `Bearer ${own.token}`;
    const heads = [
      `Authorization: ${right}\r\nAUTHORIZATION: ${right}`,
      `Authorization: ${right}\r\nauthorization:`,
      `Authorization: Bearer\r\n ${own.token}`,
      `Authorization : ${right}`,
      `Authorization\t: ${right}`,
      `X-Y: 1\r\n\tAuthorization: ${right}`,
      `Authorization: Bearer\u00a0${own.token}`,
      `Authorization:${right.replace(' ', '\t')}`,
    ];
    for (const head of heads) {
      const request = `GET /api/v2/organizations/1/webhook HTTP/1.1\r\nHost: x\r\n${head}\r\nConnection: close\r\n\r\n`;
      const text = await exchangeBytes(site.port, request);
      assert.match(text, /^HTTP\/1\.1 40[01] /, head);
      assert.match(text, /\{"error":"(?:Unauthorized Access|Bad Request)"\}$/, head);
    }
    const plain = `GET /api/v2/organizations/1/webhook HTTP/1.1\r\nHost: x\r\nAuthorization: ${right}\r\nConnection: close\r\n\r\n`;
    assert.match(await exchangeBytes(site.port, plain), /^HTTP\/1\.1 200 /);
  });

  test('must have the scheme Bearer', async () => {
    const { token } = own;
    const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
    for (const value of [
      '',
      'Bearer',
      'Bearer ',
      token,
      `Bearer:${token}`,
      `Bearer=${token}`,
      `Bearer "${token}"`,
      `Bearer <${token}>`,
      `Bearer token=${token}`,
      `Bearer ${token} ${token}`,
      `Token ${token}`,
      `JWT ${token}`,
      `DPoP ${token}`,
      `Digest ${token}`,
      `Negotiate ${token}`,
      `XBearer ${token}`,
      `Bearerx ${token}`,
      `Basic ${token}`,
      basic(`1:${token}`),
      basic(`${own.accessKey}:`),
      basic(`x:${own.accessKey}`),
      `Bearer ${own.accessKey}`,
    ]) {
      assert.equal(await answer({ Authorization: value }), refused, value);
    }
  });

  test('is the only place: a token in the query, the body, a cookie or another header is ignored', async () => {
    const { token } = own;
    const query = `access_token=${token}&token=${token}&authorization=Bearer%20${token}&Authorization=${token}`;
    assert.equal(await answer({}, ['GET', `/webhook?${query}`]), refused);
    assert.equal(
      await answer({}, ['POST', '/webhook', { webhook: { enabled: false }, token, access_token: token }]),
      refused,
    );
    assert.equal(await answer({ Cookie: `token=${token}; Authorization=Bearer ${token}` }), refused);
    for (const name of ['X-Authorization', 'X-Access-Token', 'Proxy-Authorization', 'X-Api-Key', 'Token']) {
      assert.equal(await answer({ [name]: `Bearer ${token}` }), refused, name);
    }
    const urlencoded = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const reply = await site.client.send('POST', '/api/v2/organizations/1/invite_user', {
      headers: urlencoded,
      body: `access_token=${token}&email=a%40b.test&first_name=A&last_name=B`,
    });
    assert.deepEqual([reply.status, reply.text], [401, unauthorized]);
  });

  test('is checked before the number, the body and its type: no answer shows which organizations exist', async () => {
    for (const id of ['1', '2', '999', 'abc', '%00']) {
      for (const [method, path] of calls) {
        const reply = await site.client.send(method, `/api/v2/organizations/${id}${path}`, {
          headers: method === 'GET' ? {} : { 'Content-Type': 'text/plain' },
          ...(method !== 'GET' && { body: '{' }),
        });
        assert.deepEqual([reply.status, reply.text], [401, unauthorized]);
      }
    }
  });
});
