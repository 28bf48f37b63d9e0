import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import * as rules from '@rollcall/core/rules';
import { maxKeepHours } from '#app/cli/arguments.js';
import { run, temporaryDirectory } from '../support/app-cli.js';

const preload = new URL('../support/loaded-modules.js', import.meta.url).href;

describe('The modules that a command loads', () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  before(() => {
    directory = temporaryDirectory();
  });
  after(() => directory.remove());

  /** The packages that a command loads, and whether it loads adapters. */
  async function loadedBy(name: string, args: readonly string[]) {
    const list = join(directory.path, `${name}.txt`);
    const env = { NODE_OPTIONS: `--import ${preload}`, LOADED_MODULES: list };
    const { code } = await run(args, { cwd: directory.path, env });
    const modules = readFileSync(list, 'utf8').split('\n');
    const packages = modules.map((path) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
    return {
      code,
      packages: new Set(packages),
      hasAdapters: modules.some((path) => /adapters\/dist\//.test(path)),
    };
  }

  for (const [name, args, expected, ...ofCore] of [
    ['help', ['--help'], 0],
    ['version', ['--version'], 0],
    ['configuration', ['configuration'], 0, 'temporal-polyfill', 'temporal-utils'],
    ['completion', ['completion', 'bash'], 0],
    ['usage', ['organization', 'lst'], 2],
  ] as const) {
    test(`${name}: commander and no other package${ofCore.length > 0 ? ' but those of the core' : ''}`, async () => {
      const { code, packages, hasAdapters } = await loadedBy(name, args);
      assert.equal(code, expected);
      assert.deepEqual(
        [...packages].filter((each) => each !== undefined),
        ['commander', ...ofCore],
      );
      assert.equal(hasAdapters, false);
    });
  }

  test('a command with SQLite: none that only a server or PostgreSQL needs', async () => {
    const { code, packages } = await loadedBy('list', ['organization', 'list']);
    assert.equal(code, 0);
    assert.ok(packages.has('knex'), 'the list of modules is complete');
    const unneeded = ['got', 'express', 'preact', 'prom-client', 'pino-pretty', '@node-rs/argon2'];
    assert.deepEqual(
      [...unneeded, 'rate-limiter-flexible', '@sentry/core', 'pg'].filter((each) => packages.has(each)),
      [],
    );
  });

  test('a limit that the command line repeats is that of the core', () => {
    assert.equal(maxKeepHours, rules.maxKeepHours);
  });
});
