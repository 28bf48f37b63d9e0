import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { Secret } from '@rollcall/core';
import { formTokens } from '#adapters/node/crypto/form-tokens.js';
import { keyedSecrets } from '#adapters/node/crypto/secrets.js';
import { deriveKey, FIRST, first, rotated, SECOND, second } from './keys.js';

const secrets = keyedSecrets(first);

const later = keyedSecrets(rotated);

const unrelated = keyedSecrets(second);

const UUID = '0f8fad5b-d9cb-469f-a165-70867728950e';

test('an access key is 24 random digits, each equally likely', () => {
  const keys = Array.from({ length: 2_000 }, () => secrets.newAccessKey().reveal());
  assert.ok(keys.every((key) => /^\d{24}$/.test(key)));
  assert.equal(new Set(keys).size, keys.length);

  // 48,000 digits: 4,800 of each expected, with a standard deviation of 66.
  for (const digit of '0123456789') {
    const count = keys.join('').split(digit).length - 1;
    assert.ok(Math.abs(count - 4_800) < 400, `${digit} occurred ${count} times`);
  }
  const firstDigits = new Set(keys.map((key) => key[0]));
  assert.equal(firstDigits.size, 10);
});

test('an access key has one keyed hash for each known secret key, current first, and each hash names its key', () => {
  const accessKey = '1'.repeat(24);
  const hash = (master: string): string => {
    const mac = createHmac('sha256', deriveKey(master, 'access-key')).update(accessKey).digest('base64url');
    return `${deriveKey(master, 'key-id', 4).toString('hex')}.${mac}`;
  };
  assert.deepEqual(secrets.accessKeyHashes(accessKey), [hash(FIRST)]);
  assert.deepEqual(later.accessKeyHashes(accessKey), [hash(SECOND), hash(FIRST)]);
  assert.notDeepEqual(secrets.accessKeyHashes('1'.repeat(23)), secrets.accessKeyHashes(accessKey));
});

test('a random token has the ID of its key and 256 bits, which its hash does not show', () => {
  const { token, hash } = secrets.newToken('session');
  const [keyId, random = ''] = token.reveal().split('.');
  assert.deepEqual([keyId, Buffer.from(random, 'base64url').length], [secrets.keyId, 32]);
  assert.equal(unrelated.tokenHash('session', token.reveal()), null);
  assert.equal(hash.includes(random), false);
});

test('text that cannot be our token has no hash', () => {
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

test('the token of an invitation is always the same, even under a newer key, and contains its ID', () => {
  const invitation = { id: UUID, keyId: secrets.keyId };
  const token = secrets.invitationToken(invitation).reveal();
  const bytes = Buffer.from(UUID.replaceAll('-', ''), 'hex');
  const mac = createHmac('sha256', deriveKey(FIRST, 'invitation')).update(bytes).digest('base64url');
  assert.equal(token, `${secrets.keyId}.${bytes.toString('base64url')}.${mac}`);
  assert.equal(keyedSecrets(first).invitationToken(invitation).reveal(), token);
  assert.equal(later.invitationToken(invitation).reveal(), token);
  assert.equal(later.readInvitationToken(token), UUID);
  assert.equal(unrelated.readInvitationToken(token), null);
});

test('another spelling of an invitation token, or another key ID, is refused', () => {
  const token = secrets.invitationToken({ id: UUID, keyId: secrets.keyId }).reveal();
  assert.equal(secrets.readInvitationToken(token), UUID);
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

test('an invitation token requires a UUID', () => {
  for (const id of ['', 'x', UUID.toUpperCase(), `${UUID}0`, UUID.replaceAll('-', '')]) {
    assert.throws(() => secrets.invitationToken({ id, keyId: secrets.keyId }), /must be a UUID/);
  }
});

test('an encrypted secret names its form and its key, and is no secret of an organization whose id begins alike', () => {
  const secret = new Secret('whsec_Grüße 🌍');
  const encrypted = secrets.encrypt({ secret, organizationId: 1 });
  assert.match(encrypted, new RegExp(`^v1\\.${secrets.keyId}\\.[\\w-]+$`));
  assert.equal(secrets.decrypt({ encrypted, organizationId: 1 }).reveal(), secret.reveal());
  assert.throws(() => unrelated.decrypt({ encrypted, organizationId: 1 }), /is not configured/);
  assert.throws(() => secrets.decrypt({ encrypted, organizationId: 11 }));
});

test('an encrypted secret in another form cannot be decrypted', () => {
  const encrypted = secrets.encrypt({ secret: new Secret('whsec_x'), organizationId: 1 });
  const [, keyId, text = ''] = encrypted.split('.');
  for (const other of [
    '',
    'v1',
    `v1.${keyId}.`,
    `v2.${keyId}.${text}`,
    `${encrypted}.x`,
    `v1.${keyId}.AAAA`,
  ]) {
    assert.throws(() => secrets.decrypt({ encrypted: other, organizationId: 1 }), Error, other);
  }
});

test('the signature matches the example in GitHub’s documentation', () => {
  const signature = secrets.sign({
    body: 'Hello, World!',
    secret: new Secret("It's a Secret to Everybody"),
  });
  assert.equal(signature, '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17');
});

test('a form token is valid for its cookie only, even under a newer key', () => {
  const forms = formTokens(first);
  const token = forms.issue('cookie');
  assert.equal(forms.issue('cookie'), token);
  assert.equal(forms.matches('cookie', token), true);
  assert.equal(formTokens(rotated).matches('cookie', token), true);
  assert.equal(formTokens(second).matches('cookie', token), false);
  assert.equal(forms.matches('another cookie', token), false);
  assert.equal(forms.matches('', token), false);
  for (const other of ['', '.', `${first.current.id}.`, `${token}=`, token.slice(0, -1), `${token}.x`]) {
    assert.equal(forms.matches('cookie', other), false, other);
  }
  assert.equal(forms.matches('cookie', secrets.accessKeyHashes('cookie')[0] ?? ''), false);
});
