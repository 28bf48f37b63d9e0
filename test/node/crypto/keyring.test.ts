import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { createKeyring } from '#adapters/node/crypto/keyring.js';
import { deriveKey, FIRST, first, rotated, SECOND } from './keys.js';

test('a secret key with fewer than 32 characters is refused, current or previous', () => {
  const short = 'x'.repeat(31);
  const message = { message: 'A secret key must have at least 32 characters.' };
  assert.throws(() => createKeyring({ secretKey: short, previousSecretKeys: [] }), message);
  assert.throws(() => createKeyring({ secretKey: FIRST, previousSecretKeys: [short] }), message);
  assert.doesNotThrow(() => createKeyring({ secretKey: 'x'.repeat(32), previousSecretKeys: [] }));
});

test('a duplicate secret key counts once, and the current one comes first', () => {
  const keyring = createKeyring({ secretKey: SECOND, previousSecretKeys: [FIRST, SECOND, FIRST] });
  const ids = [SECOND, FIRST].map((master) => deriveKey(master, 'key-id', 4).toString('hex'));
  assert.deepEqual(
    keyring.all.map((key) => key.id),
    ids,
  );
  assert.equal(keyring.current.id, ids[0]);
  assert.equal(keyring.byId(ids[1] ?? '')?.id, ids[1]);
  assert.equal(keyring.byId('00000000'), null);
});

test('every purpose of every secret key has a separate key, derived with HKDF-SHA256', () => {
  const keys = rotated.all.flatMap((master) =>
    Object.values(master.keys).map((key) => key.export().toString('hex')),
  );
  assert.equal(new Set(keys).size, 28);
  for (const [master, secret] of [
    [rotated.all[0], SECOND],
    [rotated.all[1], FIRST],
  ] as const) {
    for (const [purpose, key] of Object.entries(master?.keys ?? {})) {
      assert.deepEqual(key.export(), deriveKey(secret, purpose), purpose);
    }
  }
});

test('a printed keyring shows no key bytes', () => {
  const bytes = deriveKey(FIRST, 'token');
  const printed = inspect(first, { depth: 9 }) + JSON.stringify(first);
  assert.equal(printed.includes(FIRST), false);
  assert.equal(printed.includes(bytes.toString('hex')), false);
});
