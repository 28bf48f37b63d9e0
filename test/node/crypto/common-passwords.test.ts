import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Secret } from '@rollcall/core';
import { dictionary } from '@zxcvbn-ts/language-common';
import { listedCommonPasswords } from '#adapters/node/crypto/common-passwords.js';

/** What OWASP ASVS 5.0 asks for at least (6.2.4). */
const REQUIRED_COUNT = 3000;

test('the list has more than the 3,000 most common passwords of 8 characters or more', async () => {
  const { has } = listedCommonPasswords();
  const long = dictionary['passwords-common'].filter((password) => password.length >= 8);
  assert.ok(long.length > REQUIRED_COUNT, `${long.length} passwords`);
  for (const password of long.slice(0, REQUIRED_COUNT)) {
    assert.equal(await has(new Secret(password)), true, password);
    assert.equal(await has(new Secret(password.toUpperCase())), true, password);
  }
});

test('the list is read with the first question, and takes at most 5 MB', () => {
  const adapter = new URL('../../../../adapters/node/dist/crypto/common-passwords.js', import.meta.url);
  const program = `
    const { listedCommonPasswords } = await import(${JSON.stringify(adapter.href)});
    const { Secret } = await import('@rollcall/core');
    const heap = () => { gc(); gc(); return process.memoryUsage().heapUsed; };
    const list = listedCommonPasswords();
    const before = heap();
    const found = await list.has(new Secret('password'));
    console.log(JSON.stringify({ found, bytes: heap() - before }));`;
  const cwd = fileURLToPath(new URL('../../../..', import.meta.url));
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--expose-gc', '--input-type=module', '--eval', program],
    { cwd, encoding: 'utf8' },
  );
  assert.notEqual(stdout, '', stderr);
  const { found, bytes } = JSON.parse(stdout) as { found: boolean; bytes: number };
  assert.equal(found, true);
  assert.ok(bytes > 1e6 && bytes < 5e6, `${bytes} bytes`);
});
