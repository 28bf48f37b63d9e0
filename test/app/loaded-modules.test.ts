import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import * as rules from '@rollcall/core/rules';
import { maxKeepHours } from '#app/cli/arguments.js';
import { freePort, rollcall, startAlone, unmeasured } from '../support/app-cli.js';
import { folderForAll } from '../support/folders.js';
import { root } from '../support/packing.js';

const contents: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync(join(root, 'app', 'dist', 'bundle', 'contents.json'), 'utf8'),
);
const preload = new URL('../support/loaded-modules.js', import.meta.url).href;

/** A file of the bundle stands for the modules inside. */
function inside(module: string): readonly string[] {
  if (!module.includes('/dist/bundle/')) return [module];
  return contents[basename(module)] ?? [];
}

describe('The modules that a command loads', () => {
  const folder = folderForAll();

  /** The packages that a command loads, and whether it loads adapters. */
  function loadedBy(name: string, args: readonly string[]) {
    const list = join(folder, `${name}.txt`);
    // As users run it: the coverage would be measured without the bundle.
    const env = { PATH: process.env.PATH, NODE_OPTIONS: `--import ${preload}`, LOADED_MODULES: list };
    const { status: code } = spawnSync(process.execPath, [rollcall, ...args], {
      cwd: folder,
      env: { ...env, ...unmeasured },
    });
    return { code, ...inList(list) };
  }

  function inList(list: string) {
    const modules = readFileSync(list, 'utf8').split('\n').flatMap(inside);
    const packages = modules.map((path) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
    return {
      packages: new Set(packages),
      hasAdapters: modules.some((path) => path.startsWith('../adapters/')),
    };
  }

  for (const [name, args, expected, ...packages] of [
    ['help', ['--help'], 0],
    ['version', ['--version'], 0],
    ['help of a command', ['import', '--help'], 0, 'commander'],
    ['configuration', ['configuration'], 0, 'commander', 'temporal-polyfill', 'temporal-utils'],
    ['completion', ['completion', 'bash'], 0, 'commander'],
    ['usage', ['organization', 'lst'], 2, 'commander'],
  ] as const) {
    test(`${name}: ${packages.join(', ') || 'nothing'}`, () => {
      const loaded = loadedBy(name, args);
      assert.equal(loaded.code, expected);
      assert.deepEqual(
        [...loaded.packages].filter((each) => each !== undefined),
        packages,
      );
      assert.equal(loaded.hasAdapters, false);
    });
  }

  test('a command with SQLite: none that only a server needs', () => {
    const { code, packages } = loadedBy('list', ['organization', 'list']);
    assert.equal(code, 0);
    assert.ok(packages.has('knex'), 'the list of modules is complete');
    const unneeded = [
      'openid-client',
      '@simplewebauthn/server',
      'jose',
      'got',
      'express',
      'preact',
      '@node-rs/argon2',
      '@sentry/core',
      'nodemailer',
      'busboy',
    ];
    assert.deepEqual(
      unneeded.filter((each) => packages.has(each)),
      [],
    );
  });

  test('a server that nobody has asked: nothing of sign-ins, forms, deliveries and metrics', async () => {
    const list = join(folder, 'serve.txt');
    const server = startAlone(['serve'], {
      cwd: folder,
      env: { PORT: String(await freePort()), NODE_OPTIONS: `--import ${preload}`, LOADED_MODULES: list },
    });
    await server.see(/Listening/);
    await pause(300);
    assert.equal((await server.stop()).code, 0);
    const { packages } = inList(list);
    assert.ok(packages.has('express'), 'the list of modules is complete');
    const unneeded = [
      '@node-rs/argon2',
      'ajv',
      'busboy',
      'got',
      'openid-client',
      'pino-pretty',
      'prom-client',
    ];
    assert.deepEqual(
      unneeded.filter((each) => packages.has(each)),
      [],
    );
  });

  test('a program that embeds the ports loads nothing for sign-on and passkeys until someone uses them', () => {
    const key = 'k'.repeat(32);
    const program = `
      import { nodePorts } from '@rollcall/node';
      const { identityProvider, passkeyVerifier } = nodePorts({
        secretKey: '${key}', log: { info() {}, warn() {}, error() {} },
        passkeys: { publicUrl: 'https://rollcall.test', serviceName: 'R' },
      });
      passkeyVerifier.options({ to: 'use', user: { uuid: 'u' }, passkeys: [] });
      if (process.argv[1] === 'verifies') await passkeyVerifier.register({ challenge: '', response: '{}' });
      if (process.argv[1] === 'checks')
        await identityProvider.check({
          organizationId: 1, issuer: 'https://127.0.0.1:1', clientId: 'a', redirectUri: 'https://rollcall.test/',
          clientSecret: { reveal: () => 'secret' }, hostedDomain: null, acr: null,
        });`;
    const loaded = (...args: readonly string[]) => {
      const list = join(folder, `embedded ${args.join()}.txt`);
      const env = { PATH: process.env.PATH, NODE_OPTIONS: `--import ${preload}`, LOADED_MODULES: list };
      const options = ['--input-type=module', '-e', program, ...args];
      assert.equal(spawnSync(process.execPath, options, { env: { ...env, ...unmeasured } }).status, 0);
      const text = readFileSync(list, 'utf8');
      return ['openid-client', 'oauth4webapi', 'jose', '@simplewebauthn/server'].filter((each) =>
        text.includes(`/node_modules/${each}/`),
      );
    };
    assert.deepEqual(loaded(), []);
    assert.deepEqual(loaded('verifies'), ['@simplewebauthn/server']);
    assert.deepEqual(loaded('checks'), ['openid-client', 'oauth4webapi', 'jose']);
  });

  test('a limit that the command line repeats is that of the core', () => {
    assert.equal(maxKeepHours, rules.maxKeepHours);
  });
});
