import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOptions } from '@node-rs/argon2';
import { Secret, Unavailable } from '@rollcall/core';
import { argon2Passwords } from '#adapters/node/crypto/passwords.js';

const passwords = argon2Passwords();

const password = new Secret('correct horse battery stäple 🐴');

const stored = (hash: string | null) => async () => hash;

test('a password is hashed with argon2id, 19 MiB, two passes and a new salt, and can be verified', async () => {
  const [hash, again] = [await passwords.hash(password), await passwords.hash(password)];
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.notEqual(again, hash);
  assert.deepEqual(parseOptions(hash).saltLen, 16);
  assert.equal(await passwords.verify({ password, hash: stored(hash) }), true);
  assert.equal(await passwords.verify({ password: new Secret('correct horse'), hash: stored(hash) }), false);
});

test('without a hash, the result is false after the time of a real check', async () => {
  const hash = await passwords.hash(password);
  const timeOf = async (hash: string | null): Promise<number> => {
    const startedAt = performance.now();
    await passwords.verify({ password: new Secret('wrong'), hash: stored(hash) });
    return performance.now() - startedAt;
  };
  assert.equal(await passwords.verify({ password, hash: stored(null) }), false);
  const [without, real]: [number[], number[]] = [[], []];
  // In turn, so that other programs slow down both.
  for (let round = 0; round < 8; round += 1) {
    without.push(await timeOf(null));
    real.push(await timeOf(hash));
  }
  const ratio = Math.min(...without) / Math.min(...real);
  assert.ok(ratio > 0.3 && ratio < 3, `took ${ratio} of the time`);
});

test('a stored text that is not a hash throws, so it does not look like a wrong password', async () => {
  for (const hash of ['', 'plain text', '$argon2id$v=19$m=19456,t=2,p=1$broken']) {
    await assert.rejects(passwords.verify({ password, hash: stored(hash) }), hash);
  }
  assert.equal(await passwords.verify({ password, hash: stored(await passwords.hash(password)) }), true);
});

test('two passwords are processed, 200 wait, and for one more the service is unavailable', async () => {
  let reads = 0;
  const readHash = async () => {
    reads += 1;
    return 'invalid, so the check ends quickly';
  };
  const broken = { password, hash: readHash };
  const settled = await Promise.allSettled(Array.from({ length: 203 }, () => passwords.verify(broken)));
  const unavailable = settled.map((one) => one.status === 'rejected' && one.reason instanceof Unavailable);
  assert.deepEqual(unavailable, [...Array.from({ length: 202 }, () => false), true]);
  assert.equal(reads, 202);
  await assert.rejects(passwords.verify(broken), (error) => !(error instanceof Unavailable));
});
