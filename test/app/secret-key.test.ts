import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { run } from '../support/app-cli.js';
import { folderOfTest } from '../support/folders.js';

const [first, second] = ['first'.padEnd(32, '1'), 'second'.padEnd(32, '2')];

const directory = folderOfTest();

function list(env: Readonly<Record<string, string>>) {
  return run(['organization', 'list', '--json'], { cwd: directory.path, env });
}

describe('The secret key that a database is used with', () => {
  directory.forEachTest();

  test('is the only one that a command and serve accept: another is refused, and nothing is changed', async () => {
    assert.equal((await list({ SECRET_KEY: first })).code, 0);
    const { code, stderr, stdout } = await list({ SECRET_KEY: second });
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /^SECRET_KEY: this database was used with another key; .*SECRET_KEY_PREVIOUS/m);
    const served = await run(['serve'], { cwd: directory.path, env: { SECRET_KEY: second } });
    assert.equal(served.code, 2);
    assert.match(served.stderr, /SECRET_KEY: this database was used with another key/);
    assert.equal((await list({ SECRET_KEY: first })).code, 0);
  });

  test('is replaced by a new key after one command with the old key as SECRET_KEY_PREVIOUS', async () => {
    assert.equal((await list({ SECRET_KEY: first })).code, 0);
    assert.equal((await list({ SECRET_KEY: second, SECRET_KEY_PREVIOUS: first })).code, 0);
    assert.equal((await list({ SECRET_KEY: second })).code, 0);
    assert.equal((await list({ SECRET_KEY: first })).code, 2);
  });
});
