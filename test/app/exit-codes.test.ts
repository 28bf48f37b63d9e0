import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Unavailable } from '@rollcall/core';
import { isMisconfigured } from '#adapters/sql/index.js';
import { freePort, linesOf, run, temporaryDirectory } from '../support/app-cli.js';
import { smallFileSystem } from '../support/fault/disk.js';
import { startPostgresUrl } from '../support/postgres.js';
import { SqliteDatabase } from '../support/sqlite.js';

const SECRET_KEY = 's'.repeat(32);
/** The first is tried with everything, the others with one each. */
const commands = [['serve'], ['migrate'], ['organization', 'list']];

/** Answers whatever comes first with an error, as a server does that starts or has no connection left. */
async function startRefusing({ code, message }: { readonly code: string; readonly message: string }) {
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      // The request for TLS, which it has not.
      if (data.length === 8) return void socket.write('N');
      const fields = ['SFATAL', `VFATAL`, `C${code}`, `M${message}`].map((field) => `${field}\0`).join('');
      const body = Buffer.from(`${fields}\0`);
      const head = Buffer.alloc(5);
      head.write('E');
      head.writeInt32BE(body.length + 4, 1);
      socket.end(Buffer.concat([head, body]));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `postgres://me:hidden@127.0.0.1:${port}/rollcall`, stop: () => server.close() };
}

describe('The exit code where the database can’t be opened', () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  beforeEach(() => {
    directory = temporaryDirectory();
  });
  afterEach(() => directory.remove());

  const ends = async (command: readonly string[], DATABASE_URL: string, expected: number, said: RegExp) => {
    const { code, stderr, stdout } = await run(command, {
      cwd: directory.path,
      env: { DATABASE_URL, SECRET_KEY, PORT: String(await freePort()) },
    });
    assert.deepEqual([code, linesOf(stderr).length], [expected, 1], `${command}: ${stderr}`);
    assert.match(stderr, said);
    assert.ok(!stderr.includes('hidden') && !stdout.includes('hidden') && !stdout.includes('Listening'));
  };

  for (const [index, command] of commands.entries()) {
    const some = <T>(list: readonly T[]): readonly T[] => (index === 0 ? list : list.slice(0, 1));
    test(`rollcall ${command.join(' ')}: 75 where PostgreSQL refuses connections, starts, or has none left`, async () => {
      const nowhere = `postgres://me:hidden@127.0.0.1:${await freePort()}/rollcall`;
      await ends(
        command,
        nowhere,
        75,
        /^DATABASE_URL: postgres:\/\/me:\*\*\*@127\.0\.0\.1:\d+\/rollcall .*ECONNREFUSED/,
      );
      for (const refusal of some([
        { code: '57P03', message: 'the database system is starting up' },
        { code: '53300', message: 'sorry, too many clients already' },
      ])) {
        const server = await startRefusing(refusal);
        try {
          await ends(command, server.url, 75, new RegExp(`^DATABASE_URL: .*${refusal.message}`));
        } finally {
          server.stop();
        }
      }
    });

    test(`rollcall ${command.join(' ')}: 2 where the password, the user or the database is wrong`, async () => {
      const { url, stop } = await startPostgresUrl({ migrated: false });
      try {
        for (const [change, said] of some([
          [{ password: 'hidden' }, 'password authentication failed'],
          [{ username: 'nobody', password: 'hidden' }, 'authentication failed'],
          [{ pathname: '/unknown_database' }, 'does not exist'],
        ] as const)) {
          const wrong = Object.assign(new URL(url), change);
          await ends(command, wrong.href, 2, new RegExp(`^DATABASE_URL: .*cannot be opened: .*${said}`));
        }
      } finally {
        await stop();
      }
    });
  }

  test('2 if the SQLite file is not a database, is a folder, or cannot be created', async () => {
    const { path } = directory;
    writeFileSync(join(path, 'text.db'), 'this is no database, however long one looks at it');
    mkdirSync(join(path, 'folder.db'));
    for (const file of ['text.db', 'folder.db', 'not/there/rollcall.db', 'text.db/rollcall.db'])
      await ends(['organization', 'list'], `sqlite:${file}`, 2, /^DATABASE_URL: /);
  });

  test('75 where another process keeps the file of SQLite for itself', async () => {
    const file = join(directory.path, 'rollcall.db');
    const other = new SqliteDatabase(file);
    other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE held (id)');
    try {
      await ends(
        ['organization', 'list'],
        'sqlite:rollcall.db',
        75,
        /^DATABASE_URL: sqlite:rollcall\.db .*busy/,
      );
    } finally {
      other.close();
    }
  });

  test('75 where the disk of SQLite is full', async (t) => {
    const disk = smallFileSystem();
    if (disk === null)
      return void t.diagnostic('no file system can be mounted here: the codes alone were checked');
    const env = { DATABASE_URL: `sqlite:${join(disk.directory, 'rollcall.db')}`, SECRET_KEY };
    try {
      assert.equal((await run(['organization', 'list'], { cwd: directory.path, env })).code, 0);
      disk.fill({} as Parameters<typeof disk.fill>[0]);
      for (const command of [['serve'], ['organization', 'create', '--name', 'Northwind']]) {
        const { code, stderr } = await run(command, { cwd: directory.path, env });
        assert.deepEqual([code, linesOf(stderr).length], [75, 1], stderr);
        assert.match(stderr, /no space left|cannot be/);
      }
    } finally {
      disk.remove();
    }
  });

  test('waiting may help with everything but what the URL says and what the user may do', () => {
    const codes = (list: readonly string[]) =>
      list.map((code) =>
        isMisconfigured(new Unavailable('away', { cause: Object.assign(new Error('why'), { code }) })),
      );
    const final = ['28P01', '28000', '3D000', '42501', 'SQLITE_NOTADB', 'SQLITE_CANTOPEN', 'SQLITE_READONLY'];
    const finalElsewhere = ['EACCES', 'ERR_TLS_CERT_ALTNAME_INVALID', 'DEPTH_ZERO_SELF_SIGNED_CERT'];
    const passing = [
      'ECONNREFUSED',
      'ENOTFOUND',
      'EAI_AGAIN',
      'ETIMEDOUT',
      'ENOENT',
      'ENOSPC',
      'CERT_HAS_EXPIRED',
    ];
    const passingElsewhere = [
      '57P03',
      '53300',
      '53100',
      '25006',
      'SQLITE_FULL',
      'SQLITE_IOERR_WRITE',
      'SQLITE_BUSY',
    ];
    assert.deepEqual(new Set(codes([...final, ...finalElsewhere])), new Set([true]));
    assert.deepEqual(new Set(codes([...passing, ...passingElsewhere])), new Set([false]));
  });
});
