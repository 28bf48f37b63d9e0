import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Passkey } from '@rollcall/core';
import { aUser, fixedClock } from '@rollcall/core/testing';
import { webauthnVerifier } from '#adapters/node/second-factor/passkey-verifier.js';
import { type AnswerBends, softwareAuthenticator } from '../../support/software-authenticator.js';

const verifier = webauthnVerifier({
  publicUrl: 'https://people.example:8443/rollcall',
  serviceName: 'People',
});
const host = { rpId: 'people.example', origin: 'https://people.example:8443' };
const user = aUser(1);
const noon = fixedClock(new Date('2026-11-20T12:00:00.000Z')).now();

type Options = Readonly<Record<string, unknown>>;

/** A device and its passkey. */
async function registered() {
  const device = softwareAuthenticator(host);
  const { challenge } = verifier.options({ to: 'make', user, passkeys: [] });
  const made = await verifier.register({ challenge, response: device.register(challenge) });
  assert.ok(made);
  const passkey: Passkey = { ...made, name: 'Key', createdAt: noon, usedAt: null };
  return { device, made, passkey };
}

const used = async (bends: AnswerBends = {}, passkey: Partial<Passkey> = {}) => {
  const { device, ...one } = await registered();
  const { challenge } = verifier.options({ to: 'use', user, passkeys: [one.passkey] });
  const response = device.use(challenge, bends);
  return verifier.verify({ challenge, response, passkey: { ...one.passkey, ...passkey } });
};

describe('A question to a browser', () => {
  test('names the host of PUBLIC_URL, what is there already, and three algorithms that every Node checks', () => {
    const passkeys = [{ credentialId: 'abc', transports: ['usb'] }];
    const { challenge, publicKey } = verifier.options({ to: 'make', user, passkeys });
    const { rp, pubKeyCredParams, excludeCredentials, ...rest } = publicKey as Options;
    assert.deepEqual(rp, { id: 'people.example', name: 'People' });
    assert.deepEqual(
      pubKeyCredParams,
      [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
    );
    assert.deepEqual(excludeCredentials, [{ type: 'public-key', id: 'abc', transports: ['usb'] }]);
    assert.deepEqual([rest.challenge, rest.attestation, rest.hints], [challenge, 'none', undefined]);

    const question = verifier.options({ to: 'use', user, passkeys }).publicKey as Options;
    assert.deepEqual([question.rpId, question.allowCredentials], ['people.example', excludeCredentials]);
    assert.equal(JSON.stringify(question).includes(user.email), false);
  });

  test('has another challenge of 256 bits each time', () => {
    const all = Array.from({ length: 100 }, () => verifier.options({ to: 'use', user, passkeys: [] }));
    assert.equal(new Set(all.map(({ challenge }) => challenge)).size, 100);
    for (const { challenge } of all) assert.equal(Buffer.from(challenge, 'base64url').length, 32);
  });
});

describe('A new passkey', () => {
  test('is known by its id, its key, and ways to reach it that are texts', async () => {
    const { device, made } = await registered();
    const { publicKey, ...rest } = made;
    assert.ok(Buffer.from(publicKey, 'base64url').length > 70);
    assert.deepEqual(rest, {
      ...{ credentialId: device.credentialId, counter: 0, transports: ['internal'], isBackedUp: false },
    });
  });

  for (const [what, bends] of [
    ['another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['another origin', { origin: 'https://evil.example' }],
    ['the same host on another port', { origin: 'https://people.example' }],
    ['another relying party', { rpId: 'evil.example' }],
    ['an answer of another kind', { type: 'webauthn.get' }],
    ['nobody there', { isPresent: false }],
    ['an algorithm that was not asked for', { algorithm: -48 }],
  ] satisfies [string, AnswerBends][])
    test(`${what} is refused`, async () => {
      const { challenge } = verifier.options({ to: 'make', user, passkeys: [] });
      const response = softwareAuthenticator(host).register(challenge, bends);
      assert.equal(await verifier.register({ challenge, response }), null);
    });

  test('an id is taken up to the 1023 bytes that WebAuthn allows, and no longer one', async () => {
    for (const idBytes of [1023, 1024]) {
      const { challenge } = verifier.options({ to: 'make', user, passkeys: [] });
      const response = softwareAuthenticator({ ...host, idBytes }).register(challenge);
      assert.equal((await verifier.register({ challenge, response })) === null, idBytes === 1024);
    }
  });

  test('nonsense is refused', async () => {
    for (const response of ['', 'x', 'null', '{}', '[]', '{"id":{}}', '{"id":"a","response":{}}'])
      assert.equal(await verifier.register({ challenge: 'c', response }), null);
  });
});

describe('A use of a passkey', () => {
  test('gives the new count', async () => {
    assert.deepEqual(await used(), { counter: 1, isBackedUp: false });
    assert.deepEqual(await used({ counter: 9 }, { counter: 8 }), { counter: 9, isBackedUp: false });
    assert.deepEqual(await used({ counter: 0 }), { counter: 0, isBackedUp: false });
  });

  for (const [what, bends, passkey = {}] of [
    ['another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['another origin', { origin: 'https://evil.example' }],
    ['another relying party', { rpId: 'evil.example' }],
    ['an answer of another kind', { type: 'webauthn.create' }],
    ['nobody there', { isPresent: false }],
    ['a count that stands still', { counter: 8 }, { counter: 8 }],
    ['a count that goes back', { counter: 7 }, { counter: 8 }],
  ] satisfies [string, AnswerBends, Partial<Passkey>?][])
    test(`${what} is refused`, async () => assert.equal(await used(bends, passkey), null));

  test('the key of another device is refused', async () => {
    const { passkey } = await registered();
    assert.equal(await used({}, { publicKey: passkey.publicKey }), null);
  });

  test('the id in an answer is a text, or there is none', async () => {
    const { device } = await registered();
    assert.equal(verifier.credentialIdOf(device.use('c')), device.credentialId);
    for (const response of ['', 'x', 'null', '{}', '[]', '{"id":7}'])
      assert.equal(verifier.credentialIdOf(response), null);
  });
});
