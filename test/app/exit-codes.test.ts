import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Unavailable } from '@rollcall/core';
import { isMisconfigured } from '#adapters/sql/index.js';
import { freePort, linesOf, rollcall, run } from '../support/app-cli.js';
import { smallFileSystem } from '../support/fault/disk.js';
import { folderOfTest } from '../support/folders.js';
import { listen } from '../support/listen.js';
import { startPostgresUrl } from '../support/postgres.js';
import { SqliteDatabase } from '../support/sqlite.js';

const SECRET_KEY = 's'.repeat(32);
/** The first command is tried with every case of a list, the others with its first case. */
const commands = [['serve'], ['migrate'], ['organization', 'list']];

/** Refuses each connection with an error, as PostgreSQL does while it starts or has too many clients. */
async function startRefusing({ code, message }: { readonly code: string; readonly message: string }) {
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      // A request for TLS, which this server does not offer.
      if (data.length === 8) return void socket.write('N');
      const fields = ['SFATAL', `VFATAL`, `C${code}`, `M${message}`].map((field) => `${field}\0`).join('');
      const body = Buffer.from(`${fields}\0`);
      const head = Buffer.alloc(5);
      head.write('E');
      head.writeInt32BE(body.length + 4, 1);
      socket.end(Buffer.concat([head, body]));
    });
  });
  const port = await listen(server);
  return { url: `postgres://me:hidden@127.0.0.1:${port}/rollcall`, stop: () => server.close() };
}

test('The exit code of a command that waits for something that never comes is 13, as Node’s', () => {
  const neverDrained = 'data:text/javascript,process.stdout.write=()=>false';
  const { status } = spawnSync(process.execPath, [
    '--import',
    neverDrained,
    rollcall,
    'sample',
    '--meetings',
    '1',
  ]);
  assert.equal(status, 13);
});

describe('The exit code if the database can’t be opened', () => {
  const directory = folderOfTest();
  directory.forEachTest();

  const expectExit = async (
    command: readonly string[],
    DATABASE_URL: string,
    expected: number,
    message: RegExp,
  ) => {
    const { code, stderr, stdout } = await run(command, {
      cwd: directory.path,
      env: { DATABASE_URL, SECRET_KEY, PORT: String(await freePort()) },
    });
    assert.deepEqual([code, linesOf(stderr).length], [expected, 1], `${command}: ${stderr}`);
    assert.match(stderr, message);
    assert.ok(!stderr.includes('hidden') && !stdout.includes('hidden') && !stdout.includes('Listening'));
  };

  for (const [index, command] of commands.entries()) {
    const casesOf = <T>(list: readonly T[]): readonly T[] => (index === 0 ? list : list.slice(0, 1));
    test(`rollcall ${command.join(' ')}: 75 if PostgreSQL refuses connections, is starting, or has too many clients`, async () => {
      const nowhere = `postgres://me:hidden@localhost:${await freePort()}/rollcall`;
      await expectExit(
        command,
        nowhere,
        75,
        /^DATABASE_URL: postgres:\/\/me:\*\*\*@localhost:\d+\/rollcall cannot be opened: .*ECONNREFUSED/,
      );
      for (const refusal of casesOf([
        { code: '57P03', message: 'the database system is starting up' },
        { code: '53300', message: 'sorry, too many clients already' },
      ])) {
        const server = await startRefusing(refusal);
        try {
          await expectExit(command, server.url, 75, new RegExp(`^DATABASE_URL: .*${refusal.message}`));
        } finally {
          server.stop();
        }
      }
    });

    test(`rollcall ${command.join(' ')}: 2 if the password, the user or the database is wrong`, async (t) => {
      const { url, stop } = await startPostgresUrl({ migrated: false });
      t.after(() => stop());
      for (const [change, message] of casesOf([
        [{ password: 'hidden' }, 'password authentication failed'],
        [{ username: 'nobody', password: 'hidden' }, 'authentication failed'],
        [{ pathname: '/unknown_database' }, 'does not exist'],
      ] as const)) {
        const wrong = Object.assign(new URL(url), change);
        await expectExit(
          command,
          wrong.href,
          2,
          new RegExp(`^DATABASE_URL: .*cannot be opened: .*${message}`),
        );
      }
    });
  }

  test('2 if the SQLite file is not a database, is a folder, or cannot be created', async () => {
    const { path } = directory;
    writeFileSync(join(path, 'text.db'), 'this is a text file and not an SQLite database file');
    mkdirSync(join(path, 'folder.db'));
    for (const file of ['text.db', 'folder.db', 'not/there/rollcall.db', 'text.db/rollcall.db'])
      await expectExit(['organization', 'list'], `sqlite:${file}`, 2, /^DATABASE_URL: /);
    for (const command of commands)
      await expectExit(command, 'sqlite:text.db', 2, /^DATABASE_URL: sqlite:text\.db cannot be opened: /);
  });

  test('2 if a preview made the database', async () => {
    const made = new SqliteDatabase(join(directory.path, 'rollcall.db'));
    made.exec(
      `CREATE TABLE users (id); CREATE TABLE rollcall_migrations (name TEXT);
      INSERT INTO rollcall_migrations VALUES ('0001-schema')`,
    );
    made.close();
    for (const command of commands)
      await expectExit(
        command,
        'sqlite:rollcall.db',
        2,
        /^(DATABASE_URL: .*: )?The database was made by a preview/,
      );
  });

  test('75 if another process has locked the SQLite file', async (t) => {
    const file = join(directory.path, 'rollcall.db');
    const other = new SqliteDatabase(file);
    other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE held (id)');
    t.after(() => other.close());
    await expectExit(
      ['organization', 'list'],
      'sqlite:rollcall.db',
      75,
      /^DATABASE_URL: sqlite:rollcall\.db .*busy/,
    );
  });

  test('75 if the disk of the SQLite file is full', async (t) => {
    const disk = smallFileSystem();
    if (disk === null) return void t.diagnostic('not tested: no file system can be mounted here');
    const env = { DATABASE_URL: `sqlite:${join(disk.directory, 'rollcall.db')}`, SECRET_KEY };
    t.after(() => disk.remove());
    assert.equal((await run(['organization', 'list'], { cwd: directory.path, env })).code, 0);
    disk.fill();
    for (const command of [['serve'], ['organization', 'create', '--name', 'Northwind']]) {
      const { code, stderr } = await run(command, { cwd: directory.path, env });
      assert.deepEqual([code, linesOf(stderr).length], [75, 1], stderr);
      assert.match(stderr, /no space left|cannot be/);
    }
  });

  test('only errors in the URL or in permissions count as a wrong configuration; others may go away', () => {
    const codes = (list: readonly string[]) =>
      list.map((code) =>
        isMisconfigured(new Unavailable('away', { cause: Object.assign(new Error('why'), { code }) })),
      );
    const permanent = [
      '28P01',
      '28000',
      '3D000',
      '42501',
      'SQLITE_NOTADB',
      'SQLITE_CANTOPEN',
      'SQLITE_READONLY',
    ];
    const permanentElsewhere = ['EACCES', 'ERR_TLS_CERT_ALTNAME_INVALID', 'DEPTH_ZERO_SELF_SIGNED_CERT'];
    const temporary = [
      'ECONNREFUSED',
      'ENOTFOUND',
      'EAI_AGAIN',
      'ETIMEDOUT',
      'ENOENT',
      'ENOSPC',
      'CERT_HAS_EXPIRED',
    ];
    const temporaryElsewhere = [
      '57P03',
      '53300',
      '53100',
      '25006',
      'SQLITE_FULL',
      'SQLITE_IOERR_WRITE',
      'SQLITE_BUSY',
    ];
    assert.deepEqual(new Set(codes([...permanent, ...permanentElsewhere])), new Set([true]));
    assert.deepEqual(new Set(codes([...temporary, ...temporaryElsewhere])), new Set([false]));
  });
});
