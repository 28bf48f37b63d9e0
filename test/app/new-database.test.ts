import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { run, temporaryDirectory } from '../support/app-cli.js';

describe('A command on an SQLite file that does not exist', () => {
  test('says once that it created a new database', async (t) => {
    const directory = temporaryDirectory();
    t.after(() => directory.remove());
    const env = { DATABASE_URL: 'sqlite:rolcall.db' };
    const listed = () => run(['organization', 'list'], { cwd: directory.path, env });
    const first = await listed();
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stderr, /^Created a new database: sqlite:rolcall\.db$/m);
    assert.doesNotMatch((await listed()).stderr, /Created a new database/);
  });
});
