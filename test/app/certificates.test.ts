import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { watchCertificates } from '#app/config/certificates.js';
import { createAuthority } from '../support/certificates.js';

const [first, second, third] = await Promise.all(
  ['first', 'second', 'third'].map(async (name) => (await createAuthority(name)).cert.trim()),
);

function watched(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-certificates-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'ca.pem');
  writeFileSync(join(folder, 'one.pem'), `${first}\n`);
  symlinkSync(join(folder, 'one.pem'), file);
  const told: string[] = [];
  const read = watchCertificates([file], {
    further: [String(third)],
    onChange: () => told.push('changed'),
    onError: () => told.push('wrong'),
    intervalMs: 0,
  });
  /** As orchestrators do: another file behind the same name. */
  const replace = (text: string) => {
    writeFileSync(join(folder, 'other.pem'), text);
    symlinkSync(join(folder, 'other.pem'), join(folder, 'link'));
    renameSync(join(folder, 'link'), file);
  };
  return { file, told, read, replace };
}

test('certificates are read again when their file changes, and are the same array until then', (t) => {
  const { told, read, replace } = watched(t);
  const before = read();
  assert.deepEqual(before, [first, third]);
  assert.equal(read(), before);
  replace(`${second}\n${first}\n`);
  assert.deepEqual(read(), [second, first, third]);
  assert.deepEqual(told, ['changed']);
});

test('a file that is away or has become unreadable keeps its last certificates, is told once, and is read when it is back', (t) => {
  const { file, told, read, replace } = watched(t);
  const before = read();
  rmSync(file);
  assert.deepEqual([read(), read()], [before, before]);
  replace('-----BEGIN CERTIFICATE-----\nhalf');
  assert.deepEqual([read(), read()], [before, before]);
  writeFileSync(file, `${second}\n`);
  assert.deepEqual(read(), [second, third]);
  assert.deepEqual(told, ['wrong', 'wrong', 'changed']);
});

test('a file that cannot be read at first is told with the first call, and is read when it can be', (t) => {
  const { file, told, read, replace } = watched(t);
  rmSync(file);
  assert.deepEqual(read(), [third]);
  replace(String(second));
  assert.deepEqual(read(), [second, third]);
  assert.deepEqual(told, ['wrong', 'changed']);
});
