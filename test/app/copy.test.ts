import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '@rollcall/core';
import { type Database, openDatabase } from '#adapters/sql/index.js';
import { tokenOf } from '../support/api.js';
import {
  freePort,
  linesOf,
  rollcall,
  run,
  start,
  startOnTerminal,
  temporaryDirectory,
} from '../support/app-cli.js';
import { startPostgresUrl } from '../support/postgres.js';
import { assertEmpty, type EngineName } from '../support/transfer.js';

const SECRET_KEY = 'the secret key of the copies: 32 characters or more';

const accessKey = '1'.repeat(24);

const records = [
  { kind: 'organization', id: 7, name: 'Northwind', eap: true, access_key: accessKey },
  { kind: 'organization', id: 8, name: 'Contoso', eap: false },
];

const input = records.map((record) => `${JSON.stringify(record)}\n`).join('');

describe('rollcall copy', () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  let cwd: string;
  let postgres: Awaited<ReturnType<typeof startPostgresUrl>>;
  const env = { SECRET_KEY };
  const from = 'sqlite:here.db';
  const to = 'sqlite:there.db';
  /** Passes URLs that contain a password in environment variables, because they are refused as arguments. */
  const copy = (args: readonly string[], given: Readonly<Record<string, string>> = env) => {
    const variables: Record<string, string> = {};
    const withoutPasswords = args.map((arg, index) => {
      if (!/^postgres:.*:.*@/.test(arg)) return arg;
      variables[`URL_${index}`] = arg;
      return `env:URL_${index}`;
    });
    return run(['copy', ...withoutPasswords], { cwd, env: { ...given, ...variables } });
  };

  before(async () => {
    postgres = await startPostgresUrl({ migrated: false });
  });
  after(() => postgres.stop());
  beforeEach(async () => {
    directory = temporaryDirectory();
    cwd = directory.path;
    const { code, stderr } = await run(['import', '-'], { cwd, env: { ...env, DATABASE_URL: from }, input });
    assert.equal(code, 0, stderr);
  });
  afterEach(() => directory.remove());

  test('prints the row count of each table, and everything else to standard error', async () => {
    const { code, stdout, stderr } = await copy(['--from', from, '--to', to]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^organizations +2$/m);
    assert.match(stdout, /^secret_key +1$/m);
    assert.match(
      stderr,
      /^Copied\. The row counts of both databases are equal:\n\d+ rows in [\d.]+ s.*\.\nPending webhooks are sent from the copy\. .*\n$/,
    );
  });

  test('prints one document with --json', async () => {
    const { code, stdout, stderr } = await copy(['--from', from, '--to', to, '--json']);
    assert.deepEqual([code, stderr, linesOf(stdout).length], [0, '', 1]);
    const { tables, rows, seconds, rows_per_second } = JSON.parse(stdout);
    assert.deepEqual([tables.organizations, tables.imports, rows], [2, 1, 5]);
    assert.ok(seconds > 0 && rows_per_second > 0);
  });

  test('shows a progress bar on a terminal', async (t) => {
    const generated = temporaryDirectory();
    t.after(() => generated.remove());
    await run(['import', '-'], { cwd: generated.path, env: { DATABASE_URL: from }, input });
    const { code, stdout } = await startOnTerminal(['copy', '--from', from, '--to', to], generated.path)
      .ended;
    assert.equal(code, 0, stdout);
    assert.match(stdout, /[█░]+ \d+%/);
  });

  test('copies to PostgreSQL and back, and servers on both copies accept the same access key', async () => {
    const there = await copy(['--from', from, '--to', postgres.url, '--json']);
    assert.equal(there.code, 0, there.stderr);
    assert.ok(!there.stdout.includes(new URL(postgres.url).password));
    const again = await copy(['--from', postgres.url, '--to', to, '--json']);
    assert.equal(again.code, 0, again.stderr);
    assert.deepEqual(JSON.parse(again.stdout).tables, JSON.parse(there.stdout).tables);

    for (const DATABASE_URL of [postgres.url, to]) {
      const port = await freePort();
      const server = start(['serve'], { cwd, env: { ...env, DATABASE_URL, PORT: String(port) } });
      await server.see(/"msg":"Listening"/);
      await tokenOf(`http://127.0.0.1:${port}`, accessKey);
      assert.equal((await server.stop()).code, 0);
    }

    const full = await copy(['--from', from, '--to', postgres.url]);
    assert.deepEqual([full.code, full.stdout], [1, '']);
    assert.match(
      full.stderr,
      /^The target is not empty: it holds rows in organizations, .*\.\nNothing was copied\.\n$/,
    );
    for (const other of [postgres.url, postgres.url.replace('127.0.0.1', 'localhost')]) {
      const same = await copy(['--from', postgres.url, '--to', other]);
      assert.deepEqual([same.code, same.stderr], [2, '--to: must be another database than --from\n']);
    }
  });

  test('stores the key file next to the copy too if SECRET_KEY is not set', async (t) => {
    const generated = temporaryDirectory();
    t.after(() => generated.remove());
    const at = { cwd: generated.path };
    await run(['import', '-'], { ...at, env: { DATABASE_URL: from }, input });
    const copied = await run(['copy', '--from', from, '--to', to], at);
    assert.equal(copied.code, 0, copied.stderr);
    assert.match(copied.stderr, /^Kept the secret key beside the copy as well: .*there\.db\.key$/m);
    const listed = await run(['organization', 'list', '--json'], { ...at, env: { DATABASE_URL: to } });
    assert.equal(listed.code, 0, listed.stderr);

    await run(['migrate'], { ...at, env: { DATABASE_URL: 'sqlite:other.db' } });
    const other = await run(['copy', '--from', from, '--to', 'sqlite:other.db'], at);
    assert.equal(other.code, 2);
    assert.match(other.stderr, /^SECRET_KEY: the key file .*other\.db\.key holds another key/);

    const withoutKeyFile = await run(['copy', '--from', from, '--to', 'env:THERE'], {
      ...at,
      env: { THERE: postgres.url },
    });
    assert.equal(withoutKeyFile.code, 2);
    assert.match(withoutKeyFile.stderr, /^SECRET_KEY: must be set .*; use the key in .*here\.db\.key$/m);
  });

  test('refuses a key other than the source’s before it writes anything, unless the source’s is a previous key', async () => {
    const other = { SECRET_KEY: `another ${SECRET_KEY}` };
    const refused = await copy(['--from', from, '--to', to], other);
    assert.deepEqual([refused.code, refused.stdout], [2, '']);
    assert.match(
      refused.stderr,
      /^SECRET_KEY: does not match the source; set the key that the source was used with$/m,
    );
    assert.equal(existsSync(join(cwd, 'there.db')), false);
    const known = await copy(['--from', from, '--to', to], { ...other, SECRET_KEY_PREVIOUS: SECRET_KEY });
    assert.equal(known.code, 0, known.stderr);
  });

  test('reports in one line why it cannot copy', async (t) => {
    symlinkSync('here.db', join(cwd, 'link.db'));
    await run(['organization', 'list'], { cwd, env: { ...env, DATABASE_URL: 'sqlite:used.db' } });
    const foreign = { SECRET_KEY: `another ${SECRET_KEY}`, DATABASE_URL: 'sqlite:foreign.db' };
    await run(['organization', 'list'], { cwd, env: foreign });
    const unmigrated = await startPostgresUrl({ migrated: false });
    const nowhere = `postgres://me:hidden@127.0.0.1:${await freePort()}/rollcall`;
    const cases: readonly (readonly [args: readonly string[], code: number, message: RegExp])[] = [
      [['--from', from, '--to', from], 2, /^--to: must be another database than --from$/],
      [['--from', from, '--to', 'sqlite:link.db'], 2, /^--to: must be another database than --from$/],
      [['--from', 'sqlite:no.db', '--to', to], 2, /^--from: database sqlite:no\.db does not exist$/],
      [
        ['--from', from, '--to', 'mysql://me:hidden@a/b'],
        2,
        /^--to: the URL is not valid; it must be sqlite:<path>/,
      ],
      [['--from', from, '--to', 'sqlite:no/such/folder.db'], 2, /^--to: the directory .* does not exist/],
      [['--from', from, '--to', nowhere], 75, /^--to: postgres:\/\/me:\*\*\*@.* cannot be opened: /],
      [['--from', nowhere, '--to', to], 75, /^--from: postgres:\/\/me:\*\*\*@.* cannot be opened: /],
      [
        ['--from', unmigrated.url, '--to', to],
        1,
        /^The source lacks 0001-baseline, [^.]+\. Run: rollcall migrate$/,
      ],
      [['--from', from, '--to', 'sqlite:foreign.db'], 2, /^SECRET_KEY: does not match the target/],
    ];
    t.after(() => unmigrated.stop());
    for (const [args, code, message] of cases) {
      const refused = await copy(args);
      const [line = '', ...others] = linesOf(refused.stderr);
      assert.deepEqual([refused.code, refused.stdout, others], [code, '', []], refused.stderr);
      assert.match(line, message);
      assert.doesNotMatch(refused.stderr, /hidden/);
    }
    assert.equal((await copy(['--from', from])).code, 2);
    const used = await copy(['--from', from, '--to', 'sqlite:used.db']);
    assert.equal(used.code, 0, used.stderr);
  });

  test('refuses a URL with a password as an argument, and reads one from a variable or standard input', async () => {
    const withPassword = new URL(postgres.url);
    withPassword.password ||= 'hidden';
    const reason =
      'the URL must not contain a password, because other users of this machine can read it; ' +
      'use env:<variable>, or - and write the URL to standard input\n';
    const inQuery = `postgres://me@127.0.0.1:1/rollcall?password=hidden`;
    for (const [option, args] of [
      ['--to', ['--from', from, '--to', withPassword.href]],
      ['--from', ['--from', withPassword.href, '--to', to]],
      ['--to', ['--from', from, '--to', inQuery]],
    ] as const) {
      const refused = await run(['copy', ...args], { cwd, env });
      assert.deepEqual([refused.code, refused.stdout, refused.stderr], [2, '', `${option}: ${reason}`]);
    }
    const unset = await run(['copy', '--from', from, '--to', 'env:NOT_THERE'], { cwd, env });
    assert.deepEqual(
      [unset.code, unset.stderr],
      [2, '--to: the environment variable NOT_THERE is not set\n'],
    );
    const both = await run(['copy', '--from', '-', '--to', '-'], { cwd, env, input: from });
    assert.deepEqual(
      [both.code, both.stderr],
      [2, '--to: standard input holds only one URL, and --from already reads it\n'],
    );
    // A URL without a password may be an argument.
    const nowhere = `postgres://me@127.0.0.1:${await freePort()}/rollcall`;
    const unreachable = await run(['copy', '--from', from, '--to', nowhere], { cwd, env });
    assert.match(unreachable.stderr, /^--to: postgres:\/\/me@.* cannot be opened: /);

    const target = await startPostgresUrl({ migrated: false });
    try {
      const there = await run(['copy', '--from', from, '--to', '-'], {
        cwd,
        env,
        input: `\ufeff${target.url}\r\n`,
      });
      assert.equal(there.code, 0, there.stderr);
      const again = { cwd, env: { ...env, SOURCE: target.url, TARGET: to } };
      const back = await run(['copy', '--from', 'env:SOURCE', '--to', 'env:TARGET'], again);
      assert.equal(back.code, 0, back.stderr);
    } finally {
      await target.stop();
    }
  });

  test('refuses a database that is being served, as source and as target', async () => {
    const port = await freePort();
    const server = start(['serve'], { cwd, env: { ...env, DATABASE_URL: from, PORT: String(port) } });
    await server.see(/"msg":"Listening"/);
    const refused = await copy(['--from', from, '--to', to]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^sqlite:here\.db is in use by "rollcall serve", .* Stop it first\.$/m);
    const refusedTarget = await copy(['--from', to.replace('there', 'here2'), '--to', from]);
    assert.notEqual(refusedTarget.code, 0);
    await server.stop();
    assert.equal((await copy(['--from', from, '--to', to])).code, 0);
  });

  describe('that is killed while it writes', () => {
    let source: ReturnType<typeof temporaryDirectory>;
    let big: string;
    before(async () => {
      source = temporaryDirectory();
      big = `sqlite:${join(source.path, 'big.db')}`;
      const sample = ['sample', '--meetings', '4000', '--registrations', '10000'];
      const { stdout } = await run(sample, { cwd: source.path });
      await run(['import', '-'], { cwd: source.path, env: { ...env, DATABASE_URL: big }, input: stdout });
    });
    after(() => source.remove());

    for (const engine of ['sqlite', 'postgres'] as const) {
      test(`leaves an empty target that can be copied to (${engine})`, async (t) => {
        const target = await startPostgresUrl({ migrated: false });
        t.after(target.stop);
        const url = engine === 'postgres' ? target.url : to;
        const child = spawn(process.execPath, [rollcall, 'copy', '--from', big, '--to', 'env:THERE'], {
          cwd,
          env: { ...env, THERE: url },
          stdio: 'ignore',
        });
        const ended = once(child, 'exit');
        await untilWriting(engine, { url: target.url, file: join(cwd, 'there.db') });
        child.kill('SIGKILL');
        assert.deepEqual(await ended, [null, 'SIGKILL']);

        const database = await openDatabase(engine === 'postgres' ? target.url : join(cwd, 'there.db'));
        try {
          await assertEmpty(database);
        } finally {
          await database.close();
        }
        const again = await copy(['--from', big, '--to', url, '--json']);
        assert.equal(again.code, 0, again.stderr);
        assert.equal(JSON.parse(again.stdout).tables.meetings, 4_000);
      });
    }
  });
});

/** Resolves once the copy is in the middle of its transaction. */
async function untilWriting(
  engine: EngineName,
  { url, file }: { readonly url: string; readonly file: string },
): Promise<void> {
  const database =
    engine === 'postgres' ? await openDatabase(url) : await openDatabase(file, { timeoutMs: 50 });
  const deadline = performance.now() + 90_000;
  try {
    while (!(await isWriting(database))) {
      if (performance.now() > deadline) throw new Error('the copy was never seen writing');
      await pause(5);
    }
  } finally {
    await database.close();
  }
}

async function isWriting({ engine, read, write }: Database): Promise<boolean> {
  if (engine === 'postgres') {
    const rows = await read.all(
      `SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE 'COPY %' LIMIT 1`,
    );
    return rows.length > 0;
  }
  const isMigrated = await read.get(`SELECT 1 FROM sqlite_schema WHERE name = 'secret_key'`);
  return (
    isMigrated !== undefined &&
    write(async () => false).catch((error: unknown) => error instanceof Unavailable)
  );
}
