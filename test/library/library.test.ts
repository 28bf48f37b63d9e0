import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sqliteDriverPackage } from '#adapters/sql/index.js';
import { packCore } from '../support/packed-core.js';
import { packagingSuite } from './packaging.js';
import { readmeSuite } from './readme.js';

// These tests share one file, so that the core is packed and installed only once, as it would be published.
// Everything is loaded before the first test, because the runner ends when no test is left.
const packed = packCore();
process.once('exit', () => packed.remove());
// What the programs of the README use beside the core.
for (const name of ['@types/better-sqlite3', '@types/node', 'undici-types']) packed.link(name);
packed.link('better-sqlite3', sqliteDriverPackage(process.versions.node));

const useCore = `
  const { ports, load } = memoryPorts();
  const links = { invitation: (token) => 'https://service.test/invitations/' + token.reveal(), login: () => '', defaultAvatar: '' };
  const core = createCore(ports, { links });
  load({ organizations: [anOrganization(1)] })
    .then(() => core.inviteUser({ organization: { id: 1 }, email: 'dana@example.test', firstName: 'Dana', lastName: 'Kim' }))
    .then((invited) => process.stdout.write(invited.email));
`;

describe('@rollcall/core, packed and installed alone', () => {
  test('works when imported from a module', () => {
    const script = `
      import { createCore } from '@rollcall/core';
      import { anOrganization, memoryPorts } from '@rollcall/core/testing';
      ${useCore}`;
    assert.equal(packed.run([packed.write('use.mjs', script)]), 'dana@example.test');
  });

  test('works when required', () => {
    const script = `
      const { createCore } = require('@rollcall/core');
      const { anOrganization, memoryPorts } = require('@rollcall/core/testing');
      ${useCore}`;
    assert.equal(packed.run([packed.write('use.cjs', script)]), 'dana@example.test');
  });

  test('is loaded once, even if it is both imported and required: they share the class Refusal', () => {
    const script = `
      const required = require('@rollcall/core');
      import('@rollcall/core').then((imported) =>
        process.stdout.write(String(new required.Refusal('invalid-request', 'no') instanceof imported.Refusal)));`;
    assert.equal(packed.run([packed.write('one.cjs', script)]), 'true');
  });

  test('its suites can run without a test runner', () => {
    const script = `
      import { memoryStorage, storageSuites } from '@rollcall/core/testing';
      const start = async () => {
        const storage = memoryStorage();
        return { storage, load: storage.load, stop: async () => {} };
      };
      let passed = 0;
      for (const { run } of storageSuites(start)) {
        await run();
        passed += 1;
      }
      process.stdout.write(passed > 40 ? 'all passed' : 'only ' + passed);`;
    assert.equal(packed.run([packed.write('suites.mjs', script)]), 'all passed');
  });

  test('a stack trace names the TypeScript source with --enable-source-maps', () => {
    const script = `
      import { createCore } from '@rollcall/core';
      import { memoryPorts } from '@rollcall/core/testing';
      const links = { invitation: () => '', login: () => '', defaultAvatar: '' };
      const core = createCore(memoryPorts().ports, { links });
      await core.authorize({ token: null, organizationId: '1' }).catch((error) => process.stdout.write(error.stack));`;
    const file = packed.write('trace.mjs', script);
    assert.match(packed.run(['--enable-source-maps', file]), /core\/access\/authorize\.ts:\d+/);
  });
});

packagingSuite(packed);
readmeSuite(packed);
