import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { describe, test } from 'node:test';
import { settingNames, settings, variableOf } from '#app/config/settings.js';
import { run } from '../support/app-cli.js';
import { documents, withTable } from '../support/configuration-tables.js';

describe('The tables of environment variables', () => {
  for (const document of documents) {
    test(`in ${document.path} are those of the configuration`, () => {
      const { text, expected } = withTable(document);
      assert.equal(text, expected, 'run: node test/dist/support/configuration-tables.js');
    });
  }

  test('are printed by "rollcall configuration", as text and as JSON', async () => {
    const cwd = tmpdir();
    const { code, stdout, stderr } = await run(['configuration'], { cwd });
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(
      stdout,
      /^PORT\n {2}port of the HTTP server\n {2}must be: an integer from 1 to 65535\n {2}default: 3000\n/,
    );
    const json = await run(['configuration', '--json'], { cwd });
    const listed: { readonly name: string; readonly default: unknown }[] = JSON.parse(json.stdout).variables;
    assert.deepEqual(
      listed.map(({ name }) => name),
      settingNames.map(variableOf),
    );
    assert.deepEqual(listed[0], {
      name: 'PORT',
      type: 'integer',
      minimum: 1,
      maximum: 65535,
      default: 3000,
      must_be: 'an integer from 1 to 65535',
      example: '3000',
      meaning: settings.port.meaning,
      used_by: 'serve',
      secret: false,
    });
    const { secret, file_variable } = Object(listed.find(({ name }) => name === 'SECRET_KEY'));
    assert.deepEqual([secret, file_variable], [true, 'SECRET_KEY_FILE']);
    assert.equal(stdout.match(/ {2}or from a file: \w+_FILE/g)?.length, 7);
  });
});
