import assert from 'node:assert/strict';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import {
  freePort,
  linesOf,
  type Running,
  run,
  start,
  startAlone,
  temporaryDirectory,
} from '../support/app-cli.js';
import { startPostgresDatabase } from '../support/postgres.js';
import { SqliteDatabase } from '../support/sqlite.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';

const SECRET_KEY = 'the secret key of the tests, 32+ characters';
const northwind = { kind: 'organization', id: 1, name: 'Northwind' };
const userOf = (id: number) => ({
  ...{ kind: 'user', id, uuid: `8f6f2a52-5c1e-4e0a-9d0b-${String(id).padStart(12, '0')}` },
  ...{ email: `user-${id}@people.test`, first_name: 'Noor', last_name: 'Haddad' },
});
const registration = (id: number) => ({
  ...{ kind: 'membership', organization_id: 1, user_id: id, role: 'member', registered: true },
});
const textOf = (...records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');

/** A folder with a file of changes, and what follows it. */
function aFile(t: TestContext) {
  const directory = temporaryDirectory();
  const file = join(directory.path, 'changes.ndjson');
  writeFileSync(file, textOf(northwind));
  const running: Running[] = [];
  t.after(async () => {
    await Promise.all(running.map((one) => one.discard()));
    directory.remove();
  });

  function follow(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Running {
    const options = { cwd: directory.path, env: { SECRET_KEY, ...env } };
    const started = start(['import', '--follow', 'changes.ndjson', ...args], options);
    running.push(started);
    return started;
  }
  function count(table: string): number {
    const path = join(directory.path, 'data', 'rollcall.db');
    if (!existsSync(path)) return -1;
    const database = new SqliteDatabase(path, { readonly: true });
    try {
      return (database.prepare(`SELECT count(*) AS count FROM ${table}`).get() as { count: number }).count;
    } catch {
      return -1;
    } finally {
      database.close();
    }
  }
  async function counted(table: string, expected: number): Promise<void> {
    for (let waited = 0; count(table) !== expected; waited += 50) {
      assert.ok(waited < 30_000, `${count(table)} of ${expected} in ${table}`);
      await pause(50);
    }
  }
  return { directory, file, running, follow, count, counted };
}

describe('rollcall import --follow', { concurrency: 3 }, () => {
  test('imports lines as they come, and the next run goes on behind them', async (t) => {
    const { file, follow, count, counted } = aFile(t);
    const first = follow();
    await counted('organizations', 1);
    appendFileSync(file, textOf(userOf(1), registration(1)));
    await counted('events', 1);
    appendFileSync(file, textOf(userOf(2)).slice(0, 20));
    await pause(1500);
    assert.equal(count('users'), 1, 'the line is incomplete');
    appendFileSync(file, textOf(userOf(2)).slice(20));
    await counted('users', 2);
    appendFileSync(file, textOf(userOf(3)));
    await pause(300);
    const stopped = await first.stop('SIGTERM');
    assert.equal(stopped.code, 0, stopped.stderr);
    assert.match(stopped.stderr, /^Following .*changes\.ndjson from line 1\.$/m);
    assert.match(stopped.stderr, /^Stopped\. Imported 5 records\.$/m);
    assert.equal(count('users'), 3, 'what was read is stored before the end');

    appendFileSync(file, textOf(registration(1), registration(2)));
    const second = follow(['--json']);
    await counted('events', 2);
    const { code, stdout, stderr } = await second.stop('SIGINT');
    assert.equal(code, 0);
    assert.match(stderr, /^Following .* from line 6\.$/m);
    const commits = linesOf(stdout).map((line) => JSON.parse(line));
    assert.deepEqual(
      commits.map(({ records, registered, line, membership }) => [
        records,
        registered,
        line,
        membership.stored,
      ]),
      [[2, 1, 7, 2]],
    );
    assert.equal(count('imports'), 2, 'each run is one entry of the log');
  });

  test('loses no line when it is killed twice, and registers nobody twice', async (t) => {
    const { file, follow, count, counted } = aFile(t);
    const people = 200;
    let written = 0;
    const writing = (async () => {
      for (; written < people; ) {
        written += 1;
        const text = textOf(userOf(written), registration(written));
        appendFileSync(file, text.slice(0, 30));
        appendFileSync(file, text.slice(30));
        await pause(15);
      }
    })();
    for (let kills = 0; kills < 2; kills += 1) {
      const one = follow();
      await one.see(/Following/, 'stderr').catch(() => null);
      await pause(700 + 400 * kills);
      await one.stop('SIGKILL');
    }
    await writing;
    const last = follow();
    await counted('users', people);
    await counted('memberships', people);
    await last.stop();
    assert.equal(count('events'), people);
  });

  test('reads the old file to its end when it is rotated, and then the new one', async (t) => {
    const { file, follow, counted } = aFile(t);
    const one = follow();
    await counted('organizations', 1);
    appendFileSync(file, textOf(userOf(1)));
    renameSync(file, `${file}.1`);
    writeFileSync(file, textOf(userOf(2)));
    await counted('users', 2);
    const { stderr } = await one.stop();
    assert.match(stderr, /was replaced\. Reading the new file\.$/m);
  });

  test('stops at a wrong line, after those before it, and goes on when it is corrected', async (t) => {
    const { file, follow, count, counted } = aFile(t);
    const wrong = `{"kind":"user","id":2}\n`;
    appendFileSync(file, textOf(userOf(1)) + wrong + textOf(userOf(3)));
    const stopped = await follow().ended;
    assert.equal(stopped.code, 1);
    assert.match(stopped.stderr, /^line 3, field uuid: is required\. All lines before it are imported\.$/m);
    assert.doesNotMatch(stopped.stderr, /Nothing was imported/);
    assert.equal(count('users'), 1);
    const again = await follow().ended;
    assert.equal(again.code, 1);
    assert.match(again.stderr, /from line 3\.$/m);

    writeFileSync(file, textOf(northwind, userOf(1), userOf(2), userOf(3)));
    const corrected = follow();
    await counted('users', 3);
    await corrected.stop();
  });

  test('with --rejected, keeps wrong lines and goes on, also with those that refer to nothing', async (t) => {
    const { directory, file, follow, counted } = aFile(t);
    const wrong = [`{"kind":"user","id":2}\n`, textOf(registration(4711)), 'x\n'];
    const packed = Buffer.from([0x1f, 0x8b, 0x08, 0x0a]);
    appendFileSync(file, textOf(userOf(1)) + wrong[0] + textOf(userOf(3)) + wrong[1] + wrong[2]);
    const one = follow(['--rejected', 'wrong.ndjson']);
    await counted('users', 2);
    appendFileSync(file, textOf(userOf(4)));
    await counted('users', 3);
    appendFileSync(file, packed);
    await one.see(/^line 8: is not valid UTF-8\. The line is in wrong\.ndjson\.$/m, 'stderr');
    const { code, stderr } = await one.stop();
    assert.equal(code, 0);
    const kept = readFileSync(join(directory.path, 'wrong.ndjson'), 'utf8');
    assert.deepEqual(new Set(linesOf(kept)), new Set(linesOf(wrong.join('') + packed.toString())));
    for (const message of [
      'line 3, field uuid: is required. The line is in wrong.ndjson.',
      'line 5, field user_id: there is no user 4711. The line is in wrong.ndjson.',
      'line 6: is not valid JSON. The line is in wrong.ndjson.',
    ])
      assert.ok(stderr.includes(`${message}\n`), stderr);
  });

  test('ends when another process follows the file, and stores nothing over what that one has stored', {
    timeout: 240_000,
  }, async (t) => {
    const { directory, file, follow, counted } = aFile(t);
    const behind = follow();
    await counted('organizations', 1);
    const other = new SqliteDatabase(join(directory.path, 'data', 'rollcall.db'));
    other.exec('UPDATE import_places SET position = position + 1000');
    appendFileSync(file, textOf({ ...northwind, name: 'Old name' }));
    const { code, stderr } = await behind.ended;
    const names = other.prepare('SELECT name FROM organizations').all();
    other.close();
    assert.equal(code, 1, stderr);
    assert.match(stderr, /^changes\.ndjson: another process follows this file\. Only one can\.$/m);
    assert.deepEqual(JSON.stringify(names), '[{"name":"Northwind"}]');
  });

  test('ends with 1 when its output is no longer read, after it has stored what it has read', {
    timeout: 240_000,
  }, async (t) => {
    const { directory, file, running, count } = aFile(t);
    const one = startAlone(['import', '--follow', 'changes.ndjson', '--json'], {
      cwd: directory.path,
      env: { SECRET_KEY },
    });
    running.push(one);
    await one.see(/"line":1/);
    one.child.stdout?.destroy();
    appendFileSync(file, textOf(userOf(1)));
    const [code] = await once(one.child, 'exit');
    assert.equal(code, 1);
    assert.equal(count('users'), 1);
    assert.match(one.stderr(), /^Stopped, because the output of this command is no longer read\.$/m);
  });

  test('waits while the database is locked, and says so', async (t) => {
    const { directory, file, follow, counted } = aFile(t);
    const one = follow();
    await counted('organizations', 1);
    const locking = new SqliteDatabase(join(directory.path, 'data', 'rollcall.db'));
    locking.exec('BEGIN IMMEDIATE');
    appendFileSync(file, textOf(userOf(1)));
    await one.see(/The database is away \(.+\)\. Waiting\.$/m, 'stderr');
    locking.exec('ROLLBACK');
    locking.close();
    await counted('users', 1);
    await one.see(/^The database is back\.$/m, 'stderr');
    assert.equal((await one.stop()).code, 0);
  });

  test('waits for PostgreSQL at the start and while it runs', async (t) => {
    const { file, running, follow } = aFile(t);
    const started = await startPostgresDatabase();
    const url = new URL(started.url);
    const target = Number(url.port);
    const port = await freePort();
    url.port = String(port);
    let proxy: TcpProxy | null = null;
    try {
      const one = follow([], { DATABASE_URL: url.href });
      await one.see(/Waiting for it\.$/m, 'stderr');
      proxy = await startTcpProxy(target, port);
      await one.see(/^Imported 1 record/m, 'stderr');
      await proxy.stop();
      appendFileSync(file, textOf(userOf(1), registration(1)));
      await one.see(/The database is away/, 'stderr');
      proxy = await startTcpProxy(target, port);
      await one.see(/^The database is back\.$/m, 'stderr');
      assert.equal((await one.stop()).code, 0);
      const rows = await started.database.read.all('SELECT 1 AS one FROM events');
      assert.equal(rows.length, 1);
    } finally {
      await Promise.all(running.map((one) => one.discard()));
      await proxy?.stop();
      await started.stop();
    }
  });

  test('reads standard input to its end, with a last line that has no end', async (t) => {
    const { directory, follow, count } = aFile(t);
    const input = textOf(northwind, userOf(1), registration(1)).trimEnd();
    const options = { cwd: directory.path, env: { SECRET_KEY }, input };
    const { code, stderr } = await startAlone(['import', '--follow', '-'], options).ended;
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^Imported 3 records, 1 new registration, up to line 3\.$/m);
    assert.deepEqual([count('events'), count('import_places')], [1, 0]);
    const wrong = await run(['import', 'changes.ndjson', '--rejected', 'x'], { cwd: directory.path });
    assert.deepEqual([wrong.code, wrong.stderr], [2, 'error: --rejected needs --follow.\n']);
    const unwritable = await follow(['--rejected', 'no/such/folder/wrong.ndjson']).ended;
    assert.equal(unwritable.code, 2);
    assert.match(
      unwritable.stderr,
      /^error: --rejected: no\/such\/folder\/wrong\.ndjson cannot be written: /,
    );
  });
});
