import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Environment } from '#app/config/read-variable.js';
import { run, temporaryDirectory } from '../support/app-cli.js';
import { problemsOf, readConfigIn } from '../support/config.js';

let directory: ReturnType<typeof temporaryDirectory>;

beforeEach(() => {
  directory = temporaryDirectory();
});

afterEach(() => directory.remove());

const read = (environment: Environment, notices?: string[]) =>
  readConfigIn(directory.path, environment, notices);

describe('The key file next to the database', () => {
  test('is created once, is private, and is read again at the next start', () => {
    const notices: string[] = [];
    const first = read({ SECRET_KEY: undefined }, notices).secretKey.reveal();
    const second = read({ SECRET_KEY: undefined }, notices).secretKey.reveal();
    const file = join(directory.path, 'rollcall.db.key');
    assert.equal(second, first);
    assert.ok(first.length >= 32);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(notices, [
      `Created a new secret key: ${file}. Back it up separately from the database: without it keys and secrets cannot be read.`,
    ]);
  });

  test('is made private, with a notice, if others could read it', () => {
    read({ SECRET_KEY: undefined });
    const file = join(directory.path, 'rollcall.db.key');
    chmodSync(file, 0o644);
    const notices: string[] = [];
    read({ SECRET_KEY: undefined }, notices);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(notices, [`Others could read the key file ${file}: its mode is 0600 now.`]);
  });

  test('is not created for an existing database, because a new key would make it unreadable', () => {
    writeFileSync(join(directory.path, 'rollcall.db'), 'something');
    const [problem = '', ...others] = problemsOf(() => read({ SECRET_KEY: undefined }));
    assert.deepEqual(others, []);
    assert.match(
      problem,
      /^SECRET_KEY: not set, and the key file .*rollcall\.db\.key of the existing database is missing/,
    );
    assert.ok(!existsSync(join(directory.path, 'rollcall.db.key')));
  });

  test('is refused if it is truncated', () => {
    writeFileSync(join(directory.path, 'rollcall.db.key'), 'short\n', { mode: 0o600 });
    assert.match(
      problemsOf(() => read({ SECRET_KEY: undefined }))[0] ?? '',
      /^SECRET_KEY: the key file .* fewer than 32/,
    );
  });

  test('is not created if SECRET_KEY is set or a variable is invalid', () => {
    read({});
    problemsOf(() => read({ SECRET_KEY: undefined, PORT: 'x' }));
    assert.ok(!existsSync(join(directory.path, 'rollcall.db.key')));
  });

  test('is created once if several processes start at the same time', async () => {
    const cwd = directory.path;
    const all = await Promise.all(Array.from({ length: 4 }, () => run(['migrate', '--json'], { cwd })));
    assert.deepEqual(
      all.map(({ code }) => code),
      [0, 0, 0, 0],
      all.map(({ stderr }) => stderr).join(''),
    );
    assert.equal(all.filter(({ stderr }) => stderr.includes('Created a new secret key')).length, 1);
    const applied = all.flatMap(({ stdout }) => JSON.parse(stdout).applied);
    assert.deepEqual(applied, [...new Set(applied)], 'each migration ran once');
    assert.ok(readFileSync(join(cwd, 'data', 'rollcall.db.key'), 'utf8').trim().length >= 32);
  });
});
