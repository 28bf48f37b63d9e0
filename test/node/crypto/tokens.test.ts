import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { jwtVerify, SignJWT, UnsecuredJWT } from 'jose';
import { jwtTokens } from '#adapters/node/crypto/tokens.js';
import { deriveKey, FIRST, first, SECOND, second } from './keys.js';

const CLAIMS = {
  organizationId: 42,
  generation: 7,
  issuedAt: new Date('2026-11-20T12:00:00Z'),
  expiresAt: new Date('2026-11-21T12:00:00Z'),
};

const PAYLOAD = {
  iss: 'rollcall',
  aud: 'rollcall-api',
  sub: '42',
  gen: 7,
  iat: 1_795_176_000,
  exp: 1_795_262_400,
};

const tokens = jwtTokens(first);

const KEY = deriveKey(FIRST, 'token');

const HEADER = { alg: 'HS256', typ: 'JWT', kid: first.current.id };

function base64url(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value), 'utf8').toString('base64url');
}

/** A token with a valid signature over any header and payload. */
function forged(payload: unknown, header: unknown = HEADER, key = KEY): string {
  const text = `${base64url(header)}.${base64url(payload)}`;
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
}

test('a token contains its claims in whole seconds, and prints as ***', async () => {
  const token = await tokens.issue({ ...CLAIMS, issuedAt: new Date('2026-11-20T12:00:00.999Z') });
  assert.deepEqual(await tokens.read(token.reveal()), CLAIMS);
  assert.equal(`${token}`, '***');
});

test('jose verifies our tokens with the derived key, and finds exactly the documented header and claims', async () => {
  const token = await tokens.issue(CLAIMS);
  const verified = await jwtVerify(token.reveal(), KEY, {
    algorithms: ['HS256'],
    issuer: 'rollcall',
    audience: 'rollcall-api',
    currentDate: CLAIMS.issuedAt,
  });
  assert.deepEqual({ ...verified.protectedHeader }, HEADER);
  assert.deepEqual(verified.payload, PAYLOAD);
});

test('a token with the same claims, made elsewhere with our key, is accepted', async () => {
  assert.deepEqual(await tokens.read(forged(PAYLOAD)), CLAIMS);
  const byJose = await new SignJWT(PAYLOAD).setProtectedHeader(HEADER).sign(KEY);
  assert.deepEqual(await tokens.read(byJose), CLAIMS);
});

test('tokens with another algorithm or another key are refused', async () => {
  const jose = (header: { alg: string; kid?: string; typ?: string }, key: Uint8Array) =>
    new SignJWT(PAYLOAD).setProtectedHeader(header).sign(key);
  const long = Buffer.concat([KEY, KEY]);
  const { token: _own, ...ofOtherPurposes } = first.current.keys;
  for (const token of [
    await jose(HEADER, deriveKey(SECOND, 'token')),
    ...(await Promise.all(Object.values(ofOtherPurposes).map((key) => jose(HEADER, key.export())))),
    forged(PAYLOAD, HEADER, Buffer.from(FIRST)),
    forged(PAYLOAD, HEADER, Buffer.alloc(0)),
    forged(PAYLOAD, { ...HEADER, alg: 'RS256' }),
    await jose({ ...HEADER, alg: 'HS384' }, long),
    await jose({ ...HEADER, alg: 'HS512' }, long),
    await jose({ ...HEADER, kid: second.current.id }, KEY),
    await jose({ alg: 'HS256', typ: 'JWT' }, KEY),
    new UnsecuredJWT(PAYLOAD).encode(),
  ]) {
    assert.equal(await tokens.read(token), null, token);
  }
});

test('any other header is refused, even with a valid signature', async () => {
  for (const header of [
    { ...HEADER, alg: 'none' },
    { ...HEADER, alg: 'None' },
    { ...HEADER, alg: 'hs256' },
    { ...HEADER, alg: 'RS256' },
    { ...HEADER, alg: ['HS256'] },
    { ...HEADER, crit: ['exp'] },
    { ...HEADER, crit: [] },
    { ...HEADER, b64: false },
    { ...HEADER, jku: 'https://attacker.test/keys' },
    { ...HEADER, jwk: { kty: 'oct', k: 'AAAA' } },
    { ...HEADER, kid: null },
    { ...HEADER, kid: '' },
    { ...HEADER, kid: '00000000' },
    { ...HEADER, kid: '__proto__' },
    { ...HEADER, kid: "' UNION SELECT 'x" },
    { ...HEADER, kid: '../../../dev/null' },
    { ...HEADER, x5u: 'https://attacker.test/certificate' },
    { ...HEADER, x5c: ['MIIB'] },
    { ...HEADER, zip: 'DEF' },
    { kid: HEADER.kid, typ: 'JWT', alg: 'HS256' },
    { alg: 'HS256', kid: HEADER.kid },
    `{"alg":"HS256","typ":"JWT","kid":"x","kid":"${HEADER.kid}"}`,
    JSON.stringify(HEADER).replaceAll(',', ', '),
    `\ufeff${JSON.stringify(HEADER)}`,
    'HS256',
    [HEADER],
    { ...HEADER, typ: 'at+jwt' },
    { typ: 'JWT', kid: HEADER.kid },
  ]) {
    assert.equal(await tokens.read(forged(PAYLOAD, header)), null, JSON.stringify(header));
  }
});

test('a signed token with a missing or invalid claim is refused', async () => {
  const wrong: Readonly<Record<string, readonly unknown[]>> = {
    iss: [undefined, null, '', 'Rollcall', ['rollcall']],
    aud: [undefined, null, 'rollcall', ['rollcall-api'], ['rollcall-api', 'other']],
    sub: [undefined, null, 42, '', '0', '042', '-1', '1.0', ' 42', '42\n', '9007199254740992', '٤٢'],
    gen: [undefined, null, '7', 7.5, -1, 2 ** 53],
    iat: [undefined, null, '1795176000', 1.5, -1, 1e300],
    exp: [undefined, null, '1795262400', 1.5, -1, 8_640_000_000_001],
  };
  for (const [claim, values] of Object.entries(wrong)) {
    for (const value of values) {
      const token = forged({ ...PAYLOAD, [claim]: value });
      assert.equal(await tokens.read(token), null, `${claim} ${JSON.stringify(value)}`);
    }
  }
  const infinite = JSON.stringify(PAYLOAD).replace(String(PAYLOAD.exp), '1e999');
  const inPrototype = `{"__proto__":${JSON.stringify(PAYLOAD)}}`;
  for (const payload of [
    infinite,
    inPrototype,
    '',
    'null',
    '[]',
    '"text"',
    '7',
    '{',
    JSON.stringify(JSON.stringify(PAYLOAD)),
  ]) {
    assert.equal(await tokens.read(forged(payload)), null, payload);
  }
});

test('any other spelling of the same token is refused', async () => {
  const token = (await tokens.issue(CLAIMS)).reveal();
  const [header = '', payload = '', mac = ''] = token.split('.');
  // The last character of 32 encoded bytes contains bits that decoders ignore.
  const ignoredBits = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
    .map((last) => `${header}.${payload}.${mac.slice(0, -1)}${last}`)
    .filter((other) => other !== token);
  for (const other of [
    ...ignoredBits,
    `${payload}.${header}.${mac}`,
    `${token}${token}`,
    JSON.stringify({ payload, protected: header, signature: mac }),
    `${token}=`,
    `${token}.`,
    `${token}.${mac}`,
    `.${token}`,
    ` ${token}`,
    `${token}\n`,
    `Bearer ${token}`,
    `${header}..${mac}`,
    `..`,
    '',
    `${header}.${payload}=.${mac}`,
    `${header}=.${payload}.${mac}`,
    `${header}.${payload}.${Buffer.from(mac, 'base64url').toString('hex')}`,
    `${token}\u0000`,
  ]) {
    assert.equal(await tokens.read(other), null, other);
  }
});

test('a token with more than 2,048 characters is refused', async () => {
  const padded = Array.from({ length: 2_000 }, (_, at) => forged({ ...PAYLOAD, pad: 'x'.repeat(at) }));
  const allowed = padded.findLast((token) => token.length <= 2048) ?? '';
  const tooLong = padded.find((token) => token.length > 2048) ?? '';
  assert.ok(allowed.length > 2044 && tooLong.length < 2052);
  assert.deepEqual(await tokens.read(allowed), CLAIMS);
  assert.equal(await tokens.read(tooLong), null);
  assert.equal(await tokens.read('.'.repeat(10_000_000)), null);
});
