import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { rollcall } from '../support/app-cli.js';

/** Makes the module that reports errors fail to load, as if the program were rebuilt or removed while it runs. */
const withoutFiles = `data:text/javascript,${encodeURIComponent(`
  import { register } from 'node:module';
  register('data:text/javascript,' + encodeURIComponent(\`
    export async function resolve(specifier, context, next) {
      if (specifier.includes('/error-messages')) throw new Error('the file has gone');
      return next(specifier, context);
    }
  \`));
`)}`;

test('a command whose files are missing exits and reports the error', () => {
  const { status, signal, stderr } = spawnSync(
    process.execPath,
    ['--import', withoutFiles, rollcall, 'import', 'no-such-file.ndjson'],
    { timeout: 240_000, encoding: 'utf8' },
  );
  assert.equal(signal, null);
  assert.notEqual(status, 0);
  assert.match(stderr, /the file has gone/);
});
