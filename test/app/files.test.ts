import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { makeFilesPrivate, openDatabase } from '#adapters/sql/index.js';
import { freePort, linesOf, type Running, run, start, temporaryDirectory } from '../support/app-cli.js';

let directory: ReturnType<typeof temporaryDirectory>;
let cwd: string;
let umask: number;
let running: Running[];

const mode = (path: string): string => (lstatSync(path).mode & 0o777).toString(8);

/** The paths in the folder, and the folder itself, that other users can read or write. */
function openToOthers(folder: string): readonly string[] {
  const paths = [folder, ...readdirSync(folder).map((name) => join(folder, name))];
  return paths.filter((path) => (lstatSync(path).mode & 0o077) !== 0).map((path) => `${path} ${mode(path)}`);
}

async function serve(env: Readonly<Record<string, string>>) {
  const server = start(['serve'], { cwd, env: { PORT: String(await freePort()), ...env } });
  running.push(server);
  await server.see(/"msg":"Listening"/);
  return server;
}

/** The hooks of each suite. */
function inOwnFolder(): void {
  beforeEach(() => {
    running = [];
    directory = temporaryDirectory();
    cwd = directory.path;
    // An inherited umask of 0 lets everyone read and write new files.
    umask = process.umask(0);
  });
  afterEach(async () => {
    await Promise.all(running.map((one) => one.discard()));
    process.umask(umask);
    directory.remove();
  });
}

describe('The files of an SQLite database are private, whatever the umask', () => {
  inOwnFolder();

  test('after serve: the new folder, database, WAL, lock, note and key', async () => {
    const server = await serve({});
    const data = join(cwd, 'data');
    const names = readdirSync(data).sort();
    for (const name of ['rollcall.db', 'rollcall.db-wal', 'rollcall.db-shm', 'rollcall.db.deployment'])
      assert.ok(names.includes(name), `${name} of ${names}`);
    assert.deepEqual(openToOthers(data), []);
    assert.equal((await server.stop()).code, 0);
    assert.deepEqual(openToOthers(data), []);
  });

  for (const [name, args, file] of [
    ['migrate', ['migrate'], 'data/rollcall.db'],
    ['import', ['import', '-'], 'data/rollcall.db'],
  ] as const) {
    test(`after ${name}`, async () => {
      const input = JSON.stringify({ kind: 'organization', id: 1, name: 'Northwind' });
      const { code, stderr } = await run(args, { cwd, input });
      assert.equal(code, 0, stderr);
      assert.ok(existsSync(join(cwd, file)));
      assert.deepEqual(openToOthers(join(cwd, 'data')), []);
    });
  }

  test('after copy into a new file', async () => {
    assert.equal((await run(['migrate'], { cwd })).code, 0);
    const { code, stderr } = await run(
      ['copy', '--from', 'sqlite:data/rollcall.db', '--to', 'sqlite:other/rollcall.db'],
      { cwd },
    );
    assert.equal(code, 0, stderr);
    assert.deepEqual([...openToOthers(join(cwd, 'data')), ...openToOthers(join(cwd, 'other'))], []);
  });

  test('after demo', async () => {
    const demo = start(['demo', '--json'], { cwd, env: { PORT: String(await freePort()) } });
    running.push(demo);
    await demo.see(/\n/);
    assert.deepEqual(openToOthers(join(cwd, 'data')), []);
  });

  test('after a library opens a file', async () => {
    const database = await openDatabase(join(cwd, 'a', 'b', 'one.db'));
    await database.migrate();
    assert.deepEqual([...openToOthers(join(cwd, 'a')), ...openToOthers(join(cwd, 'a', 'b'))], []);
    await database.close();
  });
});

describe('An SQLite database that others can read', () => {
  inOwnFolder();

  async function createReadable(): Promise<string> {
    mkdirSync(join(cwd, 'data'));
    assert.equal((await run(['migrate'], { cwd })).code, 0);
    for (const name of readdirSync(join(cwd, 'data'))) chmodSync(join(cwd, 'data', name), 0o644);
    return join(cwd, 'data');
  }

  test('is made private by serve, with a line in the log; an existing folder is left alone', async () => {
    const data = await createReadable();
    const server = await serve({});
    assert.deepEqual(openToOthers(data), [`${data} 777`]);
    const warnings = linesOf(server.stdout())
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => /^Others could read/.test(msg));
    assert.deepEqual(
      warnings.map(({ level, file }) => [level, file]),
      ['', '-wal', '-shm'].map((suffix) => [40, join(data, `rollcall.db${suffix}`)]),
    );
    assert.equal((await server.stop()).code, 0);
  });

  test('is made private by any other command too, with a message', async () => {
    const data = await createReadable();
    const { code, stderr } = await run(['organization', 'list', '--json'], { cwd });
    assert.equal(code, 0);
    assert.match(stderr, /^Others could read .*rollcall\.db: its mode is 0600 now\.$/m);
    assert.deepEqual(openToOthers(data), [`${data} 777`]);
    assert.equal((await run(['organization', 'list', '--json'], { cwd })).stderr, '');
  });

  test('is made private with the files named after it, but not with the target of a link', () => {
    const file = join(cwd, 'one.db');
    const other = join(cwd, 'other');
    for (const path of [file, `${file}-wal`, other]) writeFileSync(path, '', { mode: 0o644 });
    symlinkSync(other, `${file}.lock`);
    assert.deepEqual(makeFilesPrivate(file), [
      { file, isPrivateNow: true },
      { file: `${file}-wal`, isPrivateNow: true },
    ]);
    assert.deepEqual([mode(file), mode(`${file}-wal`), mode(other)], ['600', '600', '644']);
    assert.deepEqual(makeFilesPrivate(file), []);
  });

  test('is made private with every file that SQLite and the service keep next to it, and no other', () => {
    const suffixes = ['', '-wal', '-shm', '-journal', '.lock', '.deployment', '.news'];
    const files = suffixes.map((suffix) => join(cwd, `one.db${suffix}`));
    const other = join(cwd, 'one.db.txt');
    for (const path of [...files, other]) writeFileSync(path, '', { mode: 0o644 });
    assert.deepEqual(
      makeFilesPrivate(join(cwd, 'one.db')),
      files.map((file) => ({ file, isPrivateNow: true })),
    );
    assert.deepEqual(
      files.map(mode),
      files.map(() => '600'),
    );
    assert.equal(mode(other), '644');
  });

  test('is made private at its real path if it is opened through a link', () => {
    mkdirSync(join(cwd, 'real'));
    const file = join(cwd, 'real', 'one.db');
    writeFileSync(file, '', { mode: 0o644 });
    symlinkSync(file, join(cwd, 'link.db'));
    assert.deepEqual(makeFilesPrivate(join(cwd, 'link.db')), [{ file, isPrivateNow: true }]);
    assert.equal(mode(file), '600');
  });

  test('is only reported if its mode cannot be changed', {
    skip: process.platform === 'linux' ? false : 'needs a file whose mode cannot be changed',
  }, () => {
    assert.deepEqual(makeFilesPrivate('/proc/sys/kernel/ostype'), [
      { file: '/proc/sys/kernel/ostype', isPrivateNow: false },
    ]);
  });
});
