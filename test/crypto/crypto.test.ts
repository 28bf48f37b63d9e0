import assert from 'node:assert/strict';
import { createHmac, hkdfSync } from 'node:crypto';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { parseOptions } from '@node-rs/argon2';
import { Secret, Unavailable } from '@rollcall/core';
import { jwtVerify, SignJWT, UnsecuredJWT } from 'jose';
import { createKeyring } from '#adapters/crypto/keyring.js';
import { argon2Passwords } from '#adapters/crypto/passwords.js';
import { formTokens, keyedSecrets } from '#adapters/crypto/secrets.js';
import { jwtTokens } from '#adapters/crypto/tokens.js';

const FIRST = 'the first secret key, 32 or more characters';
const SECOND = 'the second secret key, 32 or more characters';

const first = createKeyring({ secretKey: FIRST, previousSecretKeys: [] });
const second = createKeyring({ secretKey: SECOND, previousSecretKeys: [] });
const replaced = createKeyring({ secretKey: SECOND, previousSecretKeys: [FIRST] });

/** What RFC 5869 makes of a master key, asked for without the keyring. */
function derived(master: string, purpose: string, length = 32): Buffer {
  return Buffer.from(hkdfSync('sha256', master, '', `rollcall/${purpose}/v1`, length));
}

// ── Keys ───────────────────────────────────────────────────────────────────────────────────────────────────

test('a secret key under 32 characters is refused, as the current one and as a previous one', () => {
  const short = 'x'.repeat(31);
  const message = { message: 'A secret key must have at least 32 characters.' };
  assert.throws(() => createKeyring({ secretKey: short, previousSecretKeys: [] }), message);
  assert.throws(() => createKeyring({ secretKey: FIRST, previousSecretKeys: [short] }), message);
  assert.doesNotThrow(() => createKeyring({ secretKey: 'x'.repeat(32), previousSecretKeys: [] }));
});

test('a secret key that is named twice counts once, and the current one comes first', () => {
  const keyring = createKeyring({ secretKey: SECOND, previousSecretKeys: [FIRST, SECOND, FIRST] });
  const ids = [SECOND, FIRST].map((master) => derived(master, 'key-id', 4).toString('hex'));
  assert.deepEqual(
    keyring.all.map((key) => key.id),
    ids,
  );
  assert.equal(keyring.current.id, ids[0]);
  assert.equal(keyring.byId(ids[1] ?? '')?.id, ids[1]);
  assert.equal(keyring.byId('00000000'), null);
});

test('every purpose of every secret key has a key of its own, derived with HKDF-SHA256', () => {
  const keys = replaced.all.flatMap((master) =>
    Object.values(master.keys).map((key) => key.export().toString('hex')),
  );
  assert.equal(new Set(keys).size, 16);
  for (const [master, secret] of [
    [replaced.all[0], SECOND],
    [replaced.all[1], FIRST],
  ] as const) {
    for (const [purpose, key] of Object.entries(master?.keys ?? {})) {
      assert.deepEqual(key.export(), derived(secret, purpose), purpose);
    }
  }
});

test('a keyring shows no key bytes when it is printed', () => {
  const bytes = derived(FIRST, 'token');
  const printed = inspect(first, { depth: 9 }) + JSON.stringify(first);
  assert.equal(printed.includes(FIRST), false);
  assert.equal(printed.includes(bytes.toString('hex')), false);
});

// ── Tokens ─────────────────────────────────────────────────────────────────────────────────────────────────

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
const KEY = derived(FIRST, 'token');
const HEADER = { alg: 'HS256', typ: 'JWT', kid: first.current.id };

function base64url(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value), 'utf8').toString('base64url');
}

/** A token with a true signature over whatever is in it. */
function forged(payload: unknown, header: object = HEADER, key = KEY): string {
  const text = `${base64url(header)}.${base64url(payload)}`;
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
}

test('a token carries its claims in whole seconds, and the token prints as ***', async () => {
  const token = await tokens.issue({ ...CLAIMS, issuedAt: new Date('2026-11-20T12:00:00.999Z') });
  assert.deepEqual(await tokens.read(token.reveal()), CLAIMS);
  assert.equal(`${token}`, '***');
});

test('jose verifies our tokens with the derived key and finds exactly the documented header and claims', async () => {
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

test('the same claims in a token of another hand with our key are ours too', async () => {
  assert.deepEqual(await tokens.read(forged(PAYLOAD)), CLAIMS);
  const byJose = await new SignJWT(PAYLOAD).setProtectedHeader(HEADER).sign(KEY);
  assert.deepEqual(await tokens.read(byJose), CLAIMS);
});

test('reading looks at no clock: a token of long ago and one of the far future are read', async () => {
  for (const year of [1971, 9999]) {
    const claims = {
      ...CLAIMS,
      issuedAt: new Date(Date.UTC(year, 0)),
      expiresAt: new Date(Date.UTC(year, 1)),
    };
    assert.deepEqual(await tokens.read((await tokens.issue(claims)).reveal()), claims);
  }
});

test('a token made under the previous key is read, one of an unknown key is not', async () => {
  const old = (await tokens.issue(CLAIMS)).reveal();
  assert.deepEqual(await jwtTokens(replaced).read(old), CLAIMS);
  assert.equal(await jwtTokens(second).read(old), null);
  const fresh = (await jwtTokens(replaced).issue(CLAIMS)).reveal();
  assert.deepEqual(await jwtTokens(second).read(fresh), CLAIMS);
});

test('tokens that jose makes with another algorithm or another key are nothing', async () => {
  const jose = (header: { alg: string; kid?: string; typ?: string }, key: Uint8Array) =>
    new SignJWT(PAYLOAD).setProtectedHeader(header).sign(key);
  const long = Buffer.concat([KEY, KEY]);
  for (const token of [
    await jose(HEADER, derived(SECOND, 'token')),
    await jose(HEADER, derived(FIRST, 'session')),
    await jose({ ...HEADER, alg: 'HS384' }, long),
    await jose({ ...HEADER, alg: 'HS512' }, long),
    await jose({ ...HEADER, kid: second.current.id }, KEY),
    await jose({ alg: 'HS256', typ: 'JWT' }, KEY),
    new UnsecuredJWT(PAYLOAD).encode(),
  ]) {
    assert.equal(await tokens.read(token), null, token);
  }
});

test('no other header is accepted, though its signature be right', async () => {
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
    { ...HEADER, kid: '../../../dev/null' },
    { ...HEADER, typ: 'at+jwt' },
    { typ: 'JWT', kid: HEADER.kid },
  ]) {
    assert.equal(await tokens.read(forged(PAYLOAD, header)), null, JSON.stringify(header));
  }
});

test('a claim that is missing, of another type or another value makes a signed token nothing', async () => {
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
  for (const payload of ['', 'null', '[]', '"text"', '7', '{', JSON.stringify(JSON.stringify(PAYLOAD))]) {
    assert.equal(await tokens.read(forged(payload)), null, payload);
  }
});

test('a token that differs in any one character is nothing', async () => {
  const token = (await tokens.issue(CLAIMS)).reveal();
  for (let at = 0; at < token.length; at += 1) {
    const other = token[at] === 'A' ? 'B' : 'A';
    assert.equal(await tokens.read(token.slice(0, at) + other + token.slice(at + 1)), null, `at ${at}`);
  }
});

test('every other way to write the same token is nothing', async () => {
  const token = (await tokens.issue(CLAIMS)).reveal();
  const [header = '', payload = '', mac = ''] = token.split('.');
  // The last character of 32 bytes holds four bits that decoders ignore.
  const ignoredBits = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
    .map((last) => `${header}.${payload}.${mac.slice(0, -1)}${last}`)
    .filter((other) => other !== token);
  for (const other of [
    ...ignoredBits,
    `${token}=`,
    `${token}.`,
    `${token}.${mac}`,
    `.${token}`,
    ` ${token}`,
    `${token}\n`,
    `Bearer ${token}`,
    `${header}.${payload}`,
    `${header}.${payload}.`,
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

test('nothing over 2,048 characters is read', async () => {
  const padded = Array.from({ length: 2_000 }, (_, at) => forged({ ...PAYLOAD, pad: 'x'.repeat(at) }));
  const longest = padded.findLast((token) => token.length <= 2048) ?? '';
  const tooLong = padded.find((token) => token.length > 2048) ?? '';
  assert.ok(longest.length > 2044 && tooLong.length < 2052);
  assert.deepEqual(await tokens.read(longest), CLAIMS);
  assert.equal(await tokens.read(tooLong), null);
  assert.equal(await tokens.read('.'.repeat(10_000_000)), null);
});

// ── Secrets ────────────────────────────────────────────────────────────────────────────────────────────────

const secrets = keyedSecrets(first);
const later = keyedSecrets(replaced);
const strangers = keyedSecrets(second);
const UUID = '0f8fad5b-d9cb-469f-a165-70867728950e';

test('an access key is 24 digits, each as likely as the others at every place', () => {
  const keys = Array.from({ length: 2_000 }, () => secrets.newAccessKey().reveal());
  assert.ok(keys.every((key) => /^\d{24}$/.test(key)));
  assert.equal(new Set(keys).size, keys.length);

  // 48,000 digits: 4,800 of each expected, with a standard deviation of 66.
  for (const digit of '0123456789') {
    const count = keys.join('').split(digit).length - 1;
    assert.ok(Math.abs(count - 4_800) < 400, `${digit} came ${count} times`);
  }
  const firstDigits = new Set(keys.map((key) => key[0]));
  assert.equal(firstDigits.size, 10);
});

test('an access key has one keyed hash for every known key, the current one first, which tells its key', () => {
  const accessKey = '1'.repeat(24);
  const hash = (master: string): string => {
    const mac = createHmac('sha256', derived(master, 'access-key')).update(accessKey).digest('base64url');
    return `${derived(master, 'key-id', 4).toString('hex')}.${mac}`;
  };
  assert.deepEqual(secrets.accessKeyHashes(accessKey), [hash(FIRST)]);
  assert.deepEqual(later.accessKeyHashes(accessKey), [hash(SECOND), hash(FIRST)]);
  assert.notDeepEqual(secrets.accessKeyHashes('1'.repeat(23)), secrets.accessKeyHashes(accessKey));
});

test('a random token has 256 bits and the id of its key, and is found again by its hash under a newer key', () => {
  for (const purpose of ['login-link', 'session', 'calendar'] as const) {
    const made = Array.from({ length: 200 }, () => secrets.newToken(purpose));
    assert.equal(new Set(made.map(({ token }) => token.reveal())).size, made.length);
    for (const { token, hash } of made) {
      const [keyId, random = ''] = token.reveal().split('.');
      assert.equal(keyId, secrets.keyId);
      assert.equal(Buffer.from(random, 'base64url').length, 32);
      assert.equal(secrets.tokenHash(purpose, token.reveal()), hash);
      assert.equal(later.tokenHash(purpose, token.reveal()), hash);
      assert.equal(strangers.tokenHash(purpose, token.reveal()), null);
      assert.equal(hash.includes(random), false);
    }
  }
});

test('a token made for one purpose has another hash for another one', () => {
  const { token, hash } = secrets.newToken('login-link');
  assert.notEqual(secrets.tokenHash('session', token.reveal()), hash);
});

test('what can not be a token of ours has no hash', () => {
  const token = secrets.newToken('session').token.reveal();
  const [keyId, random = ''] = token.split('.');
  for (const other of [
    '',
    '.',
    random,
    `${keyId}.`,
    `.${random}`,
    `00000000.${random}`,
    `${keyId}.${random.slice(1)}`,
    `${keyId}.${random}A`,
    `${keyId}.${random}.`,
    `${keyId}.${random}.x`,
    `${keyId}.${random}=`,
    `${keyId}.${random}\n`,
    ` ${token}`,
    `${keyId}.${'A'.repeat(42)}B`,
    `${keyId}.${'A'.repeat(42)}+`,
    `__proto__.${random}`,
    '1'.repeat(1_000_000),
  ]) {
    assert.equal(secrets.tokenHash('session', other), null, other.slice(0, 99));
  }
});

test("an invitation's token is the same text every time, also after a newer key came, and gives the id back", () => {
  const invitation = { id: UUID, keyId: secrets.keyId };
  const token = secrets.invitationToken(invitation).reveal();
  const bytes = Buffer.from(UUID.replaceAll('-', ''), 'hex');
  const mac = createHmac('sha256', derived(FIRST, 'invitation')).update(bytes).digest('base64url');
  assert.equal(token, `${secrets.keyId}.${bytes.toString('base64url')}.${mac}`);
  assert.equal(keyedSecrets(first).invitationToken(invitation).reveal(), token);
  assert.equal(later.invitationToken(invitation).reveal(), token);
  assert.equal(later.readInvitationToken(token), UUID);
  assert.equal(strangers.readInvitationToken(token), null);
});

test('an invitation of a key that is not known any more gets a token under the current one', () => {
  const forgotten = { id: UUID, keyId: secrets.keyId };
  assert.deepEqual(
    strangers.invitationToken(forgotten).reveal(),
    strangers.invitationToken({ id: UUID, keyId: strangers.keyId }).reveal(),
  );
});

test('an invitation token that differs in any one character, or in the key it names, is nothing', () => {
  const token = secrets.invitationToken({ id: UUID, keyId: secrets.keyId }).reveal();
  assert.equal(secrets.readInvitationToken(token), UUID);
  for (let at = 0; at < token.length; at += 1) {
    const other = token[at] === 'A' ? 'B' : 'A';
    assert.equal(
      secrets.readInvitationToken(token.slice(0, at) + other + token.slice(at + 1)),
      null,
      `at ${at}`,
    );
  }
  for (const other of [
    '',
    '.',
    '..',
    `${token}=`,
    `${token}.`,
    `${token}.x`,
    `${token}\n`,
    token.toUpperCase(),
  ]) {
    assert.equal(secrets.readInvitationToken(other), null, other);
  }
  assert.equal(later.readInvitationToken(token.replace(secrets.keyId, later.keyId)), null);
});

test('an id that is no UUID makes no invitation token', () => {
  for (const id of ['', 'x', UUID.toUpperCase(), `${UUID}0`, UUID.replaceAll('-', '')]) {
    assert.throws(() => secrets.invitationToken({ id, keyId: secrets.keyId }), /must be a UUID/);
  }
});

test('a signing secret is whsec_ and the base64 of 32 bytes, never the same twice', () => {
  const made = Array.from({ length: 200 }, () => secrets.newSigningSecret().reveal());
  assert.equal(new Set(made).size, made.length);
  for (const secret of made) {
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(Buffer.from(secret.slice(6), 'base64').length, 32);
  }
});

test('a secret is decrypted for its own organization only, also under a newer key, and never looks the same', () => {
  const secret = new Secret('whsec_Grüße 🌍');
  const encrypted = secrets.encrypt({ secret, organizationId: 1 });
  assert.match(encrypted, new RegExp(`^v1\\.${secrets.keyId}\\.[\\w-]+$`));
  assert.notEqual(secrets.encrypt({ secret, organizationId: 1 }), encrypted);
  assert.equal(secrets.decrypt({ encrypted, organizationId: 1 }).reveal(), secret.reveal());
  assert.equal(later.decrypt({ encrypted, organizationId: 1 }).reveal(), secret.reveal());
  assert.throws(() => secrets.decrypt({ encrypted, organizationId: 2 }));
  assert.throws(() => secrets.decrypt({ encrypted, organizationId: 11 }));
  assert.throws(() => strangers.decrypt({ encrypted, organizationId: 1 }), /is not known any more/);
});

test('a sealed secret that was changed anywhere does not open', () => {
  const sealed = secrets.encrypt({ secret: new Secret('whsec_x'), organizationId: 1 });
  const [version, keyId, text = ''] = sealed.split('.');
  const bytes = Buffer.from(text, 'base64url');
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    const other = `${version}.${keyId}.${changed.toString('base64url')}`;
    assert.throws(() => secrets.decrypt({ encrypted: other, organizationId: 1 }), `byte ${at}`);
  }
  for (const other of ['', 'v1', `v1.${keyId}.`, `v2.${keyId}.${text}`, `${sealed}.x`, `v1.${keyId}.AAAA`]) {
    assert.throws(() => secrets.decrypt({ encrypted: other, organizationId: 1 }), Error, other);
  }
});

test("the signature is the one that GitHub's documentation computes for its example", () => {
  const signature = secrets.sign({
    body: 'Hello, World!',
    secret: new Secret("It's a Secret to Everybody"),
  });
  assert.equal(signature, '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17');
});

test("the signature is over the text's UTF-8 bytes with the secret's UTF-8 bytes", () => {
  const body = '{"name":"Zoë 🌍"}';
  const expected = createHmac('sha256', Buffer.from('whsec_ü', 'utf8')).update(Buffer.from(body, 'utf8'));
  assert.equal(secrets.sign({ body, secret: new Secret('whsec_ü') }), expected.digest('hex'));
});

test('a form token holds for its cookie alone, also under a newer key', () => {
  const forms = formTokens(first);
  const token = forms.issue('cookie');
  assert.equal(forms.issue('cookie'), token);
  assert.equal(forms.matches('cookie', token), true);
  assert.equal(formTokens(replaced).matches('cookie', token), true);
  assert.equal(formTokens(second).matches('cookie', token), false);
  assert.equal(forms.matches('another cookie', token), false);
  assert.equal(forms.matches('', token), false);
  for (const other of ['', '.', `${first.current.id}.`, `${token}=`, token.slice(0, -1), `${token}.x`]) {
    assert.equal(forms.matches('cookie', other), false, other);
  }
  assert.equal(forms.matches('cookie', secrets.accessKeyHashes('cookie')[0] ?? ''), false);
});

// ── Passwords ──────────────────────────────────────────────────────────────────────────────────────────────

const passwords = argon2Passwords();
const password = new Secret('correct horse battery stäple 🐴');

const stored = (hash: string | null) => async () => hash;

test('a password is stored as argon2id with 19 MiB and two passes, never the same twice, and verified', async () => {
  const [hash, again] = [await passwords.hash(password), await passwords.hash(password)];
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.notEqual(again, hash);
  assert.deepEqual(parseOptions(hash).saltLen, 16);
  assert.equal(await passwords.verify({ password, hash: stored(hash) }), true);
  assert.equal(await passwords.verify({ password: new Secret('correct horse'), hash: stored(hash) }), false);
});

test('without a hash the answer is no, after the time of a true check', async () => {
  const hash = await passwords.hash(password);
  const fastest = async (kept: string | null): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const start = performance.now();
      await passwords.verify({ password: new Secret('wrong'), hash: stored(kept) });
      times.push(performance.now() - start);
    }
    return Math.min(...times);
  };
  assert.equal(await passwords.verify({ password, hash: stored(null) }), false);
  const ratio = (await fastest(null)) / (await fastest(hash));
  assert.ok(ratio > 0.3 && ratio < 3, `took ${ratio} of the time`);
});

test('a stored text that is no hash throws, and so does not pass for a wrong password', async () => {
  for (const hash of ['', 'plain text', '$argon2id$v=19$m=19456,t=2,p=1$broken']) {
    await assert.rejects(passwords.verify({ password, hash: stored(hash) }), hash);
  }
  assert.equal(await passwords.verify({ password, hash: stored(await passwords.hash(password)) }), true);
});

test('two passwords are worked on, 200 wait, and for the next the service is unavailable', async () => {
  let asked = 0;
  const ask = async () => {
    asked += 1;
    return 'broken, and so quickly done';
  };
  const broken = { password, hash: ask };
  const settled = await Promise.allSettled(Array.from({ length: 203 }, () => passwords.verify(broken)));
  const unavailable = settled.map((one) => one.status === 'rejected' && one.reason instanceof Unavailable);
  assert.deepEqual(unavailable, [...Array.from({ length: 202 }, () => false), true]);
  assert.equal(asked, 202);
  await assert.rejects(passwords.verify(broken), (error) => !(error instanceof Unavailable));
});
