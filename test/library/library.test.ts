import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const useCore = `
  const { ports, load } = memoryPorts();
  const links = { invitation: (token) => 'https://service.test/invitations/' + token.reveal(), login: () => '', defaultAvatar: '' };
  const core = createCore(ports, { links });
  load({ organizations: [anOrganization(1)] })
    .then(() => core.inviteUser({ organization: { id: 1 }, email: 'dana@example.test', firstName: 'Dana', lastName: 'Kim' }))
    .then((invited) => process.stdout.write(invited.email));
`;

/** The packed core in a folder of its own, beside nothing but its one dependency. */
describe('@rollcall/core, packed and installed alone', () => {
  let folder = '';

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'rollcall-library-'));
    const tarball = npm(
      ['pack', '--silent', '--pack-destination', folder, '--workspace', '@rollcall/core'],
      root,
    ).trim();
    const target = join(folder, 'node_modules', '@rollcall', 'core');
    mkdirSync(target, { recursive: true });
    execFileSync('tar', ['-xzf', join(folder, tarball), '-C', target, '--strip-components', '1']);
    // What its package.json names is all that it gets: copied, as no registry is asked in a test.
    const { dependencies } = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8'));
    for (const name of Object.keys(dependencies)) {
      cpSync(join(root, 'node_modules', name), join(folder, 'node_modules', name), { recursive: true });
      const nested =
        JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).dependencies ?? {};
      for (const inner of Object.keys(nested)) {
        cpSync(join(root, 'node_modules', inner), join(folder, 'node_modules', inner), { recursive: true });
      }
    }
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  test('depends on temporal-polyfill and on nothing else', () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, 'core', 'package.json'), 'utf8'));
    assert.deepEqual(Object.keys(dependencies), ['temporal-polyfill']);
  });

  test('holds its code, types and readme, and no tests’ leftovers', () => {
    const files = readdirSync(join(folder, 'node_modules', '@rollcall', 'core'), { recursive: true }).map(
      String,
    );
    assert.ok(files.includes(join('dist', 'index.js')));
    assert.ok(files.includes(join('dist', 'index.d.ts')));
    assert.ok(files.includes(join('dist', 'testing', 'index.js')));
    assert.ok(files.includes('README.md'));
    assert.deepEqual(
      files.filter((file) => /\.map$|tsbuildinfo|(^|[^d])\.ts$/.test(file) && !file.endsWith('.d.ts')),
      [],
    );
  });

  test('works when imported from a module', () => {
    const script = `
      import { createCore } from '@rollcall/core';
      import { anOrganization, memoryPorts } from '@rollcall/core/testing';
      ${useCore}`;
    assert.equal(run('use.mjs', script), 'dana@example.test');
  });

  test('works when required', () => {
    const script = `
      const { createCore } = require('@rollcall/core');
      const { anOrganization, memoryPorts } = require('@rollcall/core/testing');
      ${useCore}`;
    assert.equal(run('use.cjs', script), 'dana@example.test');
  });

  test('its suites pass in any program that runs them', () => {
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
    assert.equal(run('suites.mjs', script), 'all passed');
  });

  test('its types say what they should to a strict program without Node’s types', () => {
    const source = `
      import { createCore, Refusal, Secret, type Core, type Organizations, type Ports } from '@rollcall/core';
      import { memoryPorts } from '@rollcall/core/testing';
      const { ports } = memoryPorts();
      export const typed: Ports = ports;
      export const links = { invitation: (token: Secret) => token.reveal(), login: (token: Secret) => token.reveal(), defaultAvatar: '' };
      export const core: Core = createCore(ports, { links });
      export const organizations: Organizations = ports.organizations;
      export const refusal = (error: unknown): string => (error instanceof Refusal ? error.code : 'bug');
      // @ts-expect-error a port that is missing does not compile
      createCore({ ...ports, clock: undefined }, { links });`;
    writeFileSync(join(folder, 'use.ts'), source);
    const options = [
      '--noEmit',
      '--strict',
      '--types',
      '',
      '--lib',
      'ES2023',
      '--target',
      'ES2023',
      '--module',
      'nodenext',
    ];
    execFileSync(
      process.execPath,
      [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), ...options, 'use.ts'],
      { cwd: folder, encoding: 'utf8' },
    );
  });

  function run(name: string, script: string): string {
    const file = join(folder, name);
    writeFileSync(file, script);
    return execFileSync(process.execPath, [file], { cwd: folder, encoding: 'utf8' });
  }
});

function npm(args: readonly string[], cwd: string): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
