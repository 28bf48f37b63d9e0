import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Attempt, Secret, Unavailable } from '@rollcall/core';
import {
  aMeeting,
  anOrganization,
  aUser,
  type Dataset,
  hostileTexts,
  recordingSender,
} from '@rollcall/core/testing';
import {
  type Bulk,
  type Database,
  openDatabase,
  type SqlValue,
  TransferError,
  transferDatabase,
} from '#adapters/sql/index.js';
import {
  freePort,
  linesOf,
  rollcall,
  run,
  start,
  startOnTerminal,
  temporaryDirectory,
} from '../support/app-cli.js';
import { startPostgresDatabase, startPostgresUrl } from '../support/postgres.js';
import { startSqliteDatabase } from '../support/storage.js';
import { startTestService, type TestService, testNow } from '../support/test-service.js';

const engines = { sqlite: startSqliteDatabase, postgres: startPostgresDatabase };
type EngineName = keyof typeof engines;
const directions = [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
  ['sqlite', 'sqlite'],
  ['postgres', 'postgres'],
] as const;

/** A migrated database that is gone after the test. */
async function empty(t: TestContext, engine: EngineName): Promise<Database> {
  const { database, stop } = await engines[engine]();
  t.after(stop);
  return database;
}

const names: Record<EngineName, string> = {
  sqlite: `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY 1`,
  postgres: `SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY relname COLLATE "C"`,
};

async function tablesOf({ engine, read }: Database): Promise<readonly string[]> {
  const rows = await read.all<{ name: string }>(names[engine]);
  // Which database it is does not go along: the copy is one of its own.
  return rows.map(({ name }) => name).filter((name) => !name.startsWith('knex_') && name !== 'deployment');
}

type Rows = readonly Readonly<Record<string, SqlValue>>[];

/** Everything that the database holds, the same for both engines: SQLite's booleans are 0 and 1. */
async function dump(database: Database, tables: readonly string[]): Promise<Record<string, Rows>> {
  const found: Record<string, Rows> = {};
  for (const table of tables) {
    const rows = await database.read.all<Record<string, SqlValue>>(`SELECT * FROM ${table}`);
    found[table] = rows
      .map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            typeof value === 'boolean' ? Number(value) : value,
          ]),
        ),
      )
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  return found;
}

/** Whatever the schema says, made by migrations or by a copy. */
async function schemaOf({ engine, read }: Database): Promise<unknown> {
  if (engine === 'sqlite') return read.all('SELECT type, name, sql FROM sqlite_schema ORDER BY 1, 2');
  return [
    await read.all(
      `SELECT conname, conrelid::regclass::text, pg_get_constraintdef(oid), convalidated
      FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2`,
    ),
    await read.all(`SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1`),
    await read.all(
      `SELECT tgname, pg_get_triggerdef(oid), tgenabled FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1, 2`,
    ),
  ];
}

const at = (text: string): Date => new Date(text);

const dataset: Dataset = {
  organizations: [anOrganization(1, { eap: true }), anOrganization(7, { name: hostileTexts[0] ?? '' })],
  users: [
    ...hostileTexts.map((text, index) => aUser(100 + index, { firstName: text, lastName: text })),
    aUser(300, { avatar: 'https://pictures.test/1.png', createdAt: at('1970-01-01T00:00:00.001Z') }),
  ],
  memberships: [
    { organizationId: 1, userId: 100, role: 'owner', idpId: 'idp-\\N' },
    { organizationId: 1, userId: 101, role: 'member', idpId: null },
    { organizationId: 7, userId: 100, role: 'admin', idpId: null },
  ],
  meetings: [
    ...hostileTexts.map((text, index) =>
      aMeeting(index + 1, { name: text, topic: text, description: text, groupLeaderId: 100 }),
    ),
    aMeeting(500, { status: 'complete', eap: true, price: 0.1, privacy: true, waitList: true }),
    aMeeting(501, { status: 'complete', price: 12345678901.25, duration: 9007199254740991 }),
    aMeeting(502, { status: 'complete', organizationId: null, eapOrganizationIds: [7], eap: true }),
    aMeeting(9007199254740991, { organizationId: null, eapOrganizationIds: [1, 7], price: 1e-7 }),
  ],
  registrations: [
    { meetingId: 1, userId: 100, registeredAt: at('2026-11-01T10:00:00.007Z') },
    { meetingId: 500, userId: 101, registeredAt: at('2026-11-01T10:00:00Z') },
  ],
  waitingPlaces: [
    { meetingId: 500, userId: 100, status: 'offered', createdAt: at('2026-11-02T10:00:00Z') },
    { meetingId: 2, userId: 101, status: 'waiting', createdAt: at('2026-11-02T10:00:00Z') },
  ],
};

const person = (name: string) => ({ email: `${name}@example.test`, firstName: name, lastName: 'Kim' });
const organization = { id: 1 };
const failed: Attempt = {
  startedAt: testNow,
  duration: 12.25,
  outcome: 'failed',
  phase: 'answer',
  status: 500,
  reason: 'The receiver answered 500.',
};

/** Something in every table, made by what makes it in production. */
async function fill(database: Database): Promise<TestService> {
  const service = await startTestService({
    database,
    ports: { webhookSender: recordingSender(() => failed) },
  });
  const { core } = service;
  await service.load(dataset);
  await core.generateAccessKey({ organizationId: 1 });
  await core.configureWebhook({
    organization,
    how: 'set',
    webhook: { url: 'https://partner.test/hooks', enabled: true, events: ['user.registered'] },
  });
  const { invitationUrl } = await core.inviteUser({ organization, ...person('invited') });
  await core.inviteUser({ organization, ...person('waiting') });
  await core.acceptInvitation({
    token: invitationUrl.slice(invitationUrl.lastIndexOf('/') + 1),
    person: { is: 'new', firstName: 'In', lastName: 'Vited', password: new Secret('a long password') },
    address: 'a test',
  });
  const member = await core.registerUser({ organizationId: 1, ...person('sent') });
  // The platform knows the one who was registered here by another number.
  await service.load({ users: [{ ...member.user, id: 400 }] });
  await core.issueLoginLink({ organization, uuid: member.uuid });
  await Promise.all(await core.deliverWebhooks({ limit: 1 }));
  await database.write(async (sql) => {
    await sql.run("INSERT INTO secret_key (key_id) VALUES ('0123abcd')");
    await sql.run("INSERT INTO secret_key_uses VALUES ('0123abcd', '2026-11-20T12:00:00.000Z')");
    await sql.run("INSERT INTO calendar_feeds VALUES (1, 100, 'a hash', '2026-11-20T12:00:00.000Z')");
    if (database.engine === 'postgres') {
      await sql.run("INSERT INTO failure_counts VALUES ('counted', 3, '2026-11-20T12:00:00Z')");
    }
  });
  return service;
}

describe('Copying a database', () => {
  for (const [from, to] of directions) {
    test(`from ${from} to ${to}: afterwards both hold the same, and the schema is as migrations make it`, async (t) => {
      const source = await empty(t, from);
      const target = await empty(t, to);
      const { stop } = await fill(source);
      await stop();
      const here = await tablesOf(source);
      const there = await tablesOf(target);
      const common = here.filter((name) => there.includes(name));
      assert.deepEqual(
        [...here, ...there].filter((name) => !common.includes(name)),
        from === to ? [] : ['failure_counts'],
      );
      const schema = await schemaOf(target);

      const copied = await transferDatabase({ from: source, to: target });
      const rows = await dump(source, common);
      assert.deepEqual(
        Object.entries(rows).filter(([, rows]) => rows.length === 0),
        [],
        'every table has something to be copied',
      );
      assert.deepEqual(await dump(target, common), rows);
      assert.deepEqual(await schemaOf(target), schema);
      assert.deepEqual(
        Object.fromEntries(copied.map(({ table, rows }) => [table, rows])),
        Object.fromEntries(Object.entries(rows).map(([name, { length }]) => [name, length])),
      );
    });

    test(`from ${from} to ${to}: the copy gives out later numbers, counts on, and sends what waited`, async (t) => {
      const source = await empty(t, from);
      const target = await empty(t, to);
      const original = await fill(source);
      // The last number that was given out belongs to nobody any more.
      const gone = await original.core.createOrganization({ name: 'Gone', eap: false });
      await source.write((sql) => sql.run('DELETE FROM organizations WHERE id = ?', [gone.id]));
      const last = await source.read.get<{ id: number }>('SELECT max(id) AS id FROM users');
      await transferDatabase({ from: source, to: target });

      const service = await startTestService({ database: target });
      t.after(service.stop);
      const { id } = await service.core.createOrganization({ name: 'New', eap: false });
      assert.ok(id > gone.id, `${id} comes after ${gone.id}`);
      await service.core.registerUser({ organizationId: 1, ...person('late') });
      const late = await target.read.get<{ id: number }>(
        "SELECT id FROM users WHERE email = 'late@example.test'",
      );
      assert.ok(Number(late?.id) > Number(last?.id));

      await service.load({ meetings: [aMeeting(900, { status: 'complete' })] });
      const counted = await target.read.get<{ meetings: number }>(
        'SELECT meetings FROM complete_meeting_counts WHERE organization_id = 1',
      );
      assert.equal(counted?.meetings, 3);
      const ofTheService = { organizationId: null, eapOrganizationIds: [7], status: 'complete' };
      await service.load({ meetings: [aMeeting(901, ofTheService)] });
      assert.deepEqual(await target.read.all('SELECT * FROM tied_meeting_counts'), [
        { organization_id: 7, meetings: 2, eap_meetings: 1 },
      ]);
      await service.load({ registrations: [{ meetingId: 900, userId: 300, registeredAt: testNow }] });
      await service.load({ meetings: [aMeeting(900, { endTime: at('2026-11-20T23:00:00.000Z') })] });
      const registration = await target.read.get<{ end_time: string }>(
        'SELECT end_time FROM registrations WHERE meeting_id = 900',
      );
      assert.equal(registration?.end_time, '2026-11-20T23:00:00.000Z');

      const reports = await Promise.all(await service.core.deliverWebhooks({ limit: 10 }));
      const waited = await dump(source, ['deliveries']);
      const pending = waited.deliveries?.filter(({ state }) => state === 'pending');
      assert.equal(pending?.length, 1);
      assert.equal(reports.length, 2);
      assert.deepEqual(
        reports.map(({ state }) => state),
        ['delivered', 'delivered'],
      );
      assert.ok(service.webhookSender.sent.some(({ body }) => body === pending?.[0]?.body));
      await assert.rejects(target.write((sql) => sql.run('DELETE FROM users WHERE id = 100')));
    });
  }

  for (const engine of ['sqlite', 'postgres'] as const) {
    test(`to ${engine}: a row that gets lost on the way is noticed, and nothing is kept`, async (t) => {
      const source = await empty(t, 'sqlite');
      const target = await empty(t, engine);
      await (await fill(source)).stop();
      const losing = through(source, (bulk) => ({
        ...bulk,
        all: async <Row>(text: string, values?: readonly SqlValue[]) => {
          const rows = await bulk.all<Row>(text, values);
          return text.includes('FROM registrations') ? rows.slice(1) : rows;
        },
      }));
      await assert.rejects(
        transferDatabase({ from: losing, to: target }),
        new TransferError('registrations has 2 rows in the source and 1 in the target.'),
      );
      await assertEmpty(target);
      await transferDatabase({ from: source, to: target });
    });

    test(`to ${engine}: what refers to nothing is noticed, and nothing is kept`, async (t) => {
      const source = await empty(t, 'sqlite');
      const target = await empty(t, engine);
      await (await fill(source)).stop();
      await source.bulk(async (bulk) => {
        await bulk.run('PRAGMA foreign_keys = OFF');
        await bulk.run('DELETE FROM users WHERE id = 101');
      });
      await assert.rejects(
        transferDatabase({ from: source, to: target }),
        /refers to one of users|violates foreign key/,
      );
      await assertEmpty(target);
    });

    test(`from ${engine}: all of one moment, whatever is written meanwhile`, async (t) => {
      const source = await empty(t, engine);
      const target = await empty(t, 'sqlite');
      const service = await fill(source);
      const tables = await tablesOf(target);
      const before = await dump(source, tables);
      let meanwhile: Promise<void> | null = null;
      const disturbed = through(source, (bulk) => ({
        ...bulk,
        all: async <Row>(text: string, values?: readonly SqlValue[]) => {
          if (text.includes('FROM meetings')) {
            meanwhile ??= service.load({
              organizations: [anOrganization(1000)],
              meetings: [aMeeting(1, { name: 'changed' }), aMeeting(1001)],
            });
            await meanwhile;
          }
          return bulk.all<Row>(text, values);
        },
      }));
      await transferDatabase({ from: disturbed, to: target });
      assert.notEqual(meanwhile, null);
      assert.deepEqual(await dump(target, tables), before);
    });
  }

  test('rows of every size go along in pages that stay small', async (t) => {
    const source = await empty(t, 'sqlite');
    const target = await empty(t, 'postgres');
    const service = await startTestService({ database: source });
    const long = 'ü'.repeat(100_000);
    await service.load({
      organizations: [anOrganization(1)],
      meetings: Array.from({ length: 1500 }, (_, index) =>
        aMeeting(index + 1, index % 20 === 0 ? { description: long } : {}),
      ),
    });
    let largest = 0;
    const watched = through(source, (bulk) => ({
      ...bulk,
      all: async <Row>(text: string, values?: readonly SqlValue[]) => {
        const rows = await bulk.all<Row>(text, values);
        largest = Math.max(largest, JSON.stringify(rows).length);
        return rows;
      },
    }));
    await transferDatabase({ from: watched, to: target });
    assert.ok(largest < 3_000_000, `a page of ${largest}`);
    assert.deepEqual(await dump(target, ['meetings']), await dump(source, ['meetings']));
  });

  test('bytes and moments go into the columns of PostgreSQL as they are', async (t) => {
    const target = await empty(t, 'postgres');
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    await target.bulk(async (bulk) => {
      await bulk.run('CREATE TEMP TABLE kinds (bytes bytea, moment timestamptz, yes boolean, number float8)');
      const into = { table: 'kinds', columns: ['bytes', 'moment', 'yes', 'number'] };
      await bulk.load(into, [bytes, testNow, true, 0.1, null, null, null, null]);
      assert.deepEqual(await bulk.all('SELECT * FROM kinds'), [
        { bytes: Buffer.from(bytes), moment: testNow.toISOString(), yes: true, number: 0.1 },
        { bytes: null, moment: null, yes: null, number: null },
      ]);
      await assert.rejects(bulk.load(into, [null, 'no moment', null, null]), /timestamp/);
      assert.equal((await bulk.all('SELECT * FROM kinds')).length, 2);
    });
  });
});

/** The same database, its bulk connection seen through something. */
function through(database: Database, lens: (bulk: Bulk) => Bulk): Database {
  return { ...database, bulk: (work) => database.bulk((bulk) => work(lens(bulk))) };
}

async function assertEmpty(database: Database): Promise<void> {
  const rows = await dump(database, await tablesOf(database));
  assert.deepEqual(
    Object.entries(rows).filter(([, { length }]) => length > 0),
    [],
  );
}

// ── The command ────────────────────────────────────────────────────────────────────────────────────────────

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
  /** Addresses with a password by variables, as they are no arguments. */
  const copy = (args: readonly string[], given: Readonly<Record<string, string>> = env) => {
    const variables: Record<string, string> = {};
    const named = args.map((arg, index) => {
      if (!/^postgres:.*:.*@/.test(arg)) return arg;
      variables[`URL_${index}`] = arg;
      return `env:URL_${index}`;
    });
    return run(['copy', ...named], { cwd, env: { ...given, ...variables } });
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

  test('tells each table and its rows, and says the rest to standard error', async () => {
    const { code, stdout, stderr } = await copy(['--from', from, '--to', to]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^organizations +2$/m);
    assert.match(stdout, /^secret_key +1$/m);
    assert.match(
      stderr,
      /^Copied\. The row counts of both databases are equal:\n\d+ rows in [\d.]+ s.*\.\nPending webhooks are sent from the copy\. .*\n$/,
    );
  });

  test('as JSON it is one document', async () => {
    const { code, stdout, stderr } = await copy(['--from', from, '--to', to, '--json']);
    assert.deepEqual([code, stderr, linesOf(stdout).length], [0, '', 1]);
    const { tables, rows, seconds, rows_per_second } = JSON.parse(stdout);
    assert.deepEqual([tables.organizations, rows], [2, 3]);
    assert.ok(seconds > 0 && rows_per_second > 0);
  });

  test('on a terminal it shows a bar', async () => {
    const generated = temporaryDirectory();
    try {
      await run(['import', '-'], { cwd: generated.path, env: { DATABASE_URL: from }, input });
      const { code, stdout } = await startOnTerminal(['copy', '--from', from, '--to', to], generated.path)
        .ended;
      assert.equal(code, 0, stdout);
      assert.match(stdout, /[█░]+ \d+%/);
    } finally {
      generated.remove();
    }
  });

  test('goes over to PostgreSQL and back, and the copy is served with the same access key', async () => {
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
      const answer = await fetch(`http://127.0.0.1:${port}/api/v2/authenticate`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ access_key: accessKey }),
      });
      assert.equal(answer.status, 200);
      assert.equal((await server.stop()).code, 0);
    }

    const full = await copy(['--from', from, '--to', postgres.url]);
    assert.deepEqual([full.code, full.stdout], [1, '']);
    assert.match(
      full.stderr,
      /^The target is not empty: it holds rows in organizations\.\nNothing was copied\.\n$/,
    );
    for (const other of [postgres.url, postgres.url.replace('127.0.0.1', 'localhost')]) {
      const same = await copy(['--from', postgres.url, '--to', other]);
      assert.deepEqual([same.code, same.stderr], [2, '--to: must be another database than --from\n']);
    }
  });

  test('without SECRET_KEY the key goes along beside the copy', async () => {
    const generated = temporaryDirectory();
    try {
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

      const postgresql = await run(['copy', '--from', from, '--to', 'env:THERE'], {
        ...at,
        env: { THERE: postgres.url },
      });
      assert.equal(postgresql.code, 2);
      assert.match(postgresql.stderr, /^SECRET_KEY: must be set .*; use the key in .*here\.db\.key$/m);
    } finally {
      generated.remove();
    }
  });

  test('another key than the source’s is refused before anything is written; a previous one is known', async () => {
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

  test('what can’t be copied is refused in one line', async () => {
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
      [['--from', unmigrated.url, '--to', to], 1, /^The source lacks 0001-schema.* Run: rollcall migrate$/],
      [['--from', from, '--to', 'sqlite:foreign.db'], 2, /^SECRET_KEY: does not match the target/],
    ];
    try {
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
    } finally {
      await unmigrated.stop();
    }
  });

  test('a password is no argument: the address comes by a variable or by standard input', async () => {
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
    // Without a password it is an argument as any other.
    const nowhere = `postgres://me@127.0.0.1:${await freePort()}/rollcall`;
    const away = await run(['copy', '--from', from, '--to', nowhere], { cwd, env });
    assert.match(away.stderr, /^--to: postgres:\/\/me@.* cannot be opened: /);

    const target = await startPostgresUrl({ migrated: false });
    try {
      const there = await run(['copy', '--from', from, '--to', '-'], { cwd, env, input: `${target.url}\n` });
      assert.equal(there.code, 0, there.stderr);
      const again = { cwd, env: { ...env, SOURCE: target.url, TARGET: to } };
      const back = await run(['copy', '--from', 'env:SOURCE', '--to', 'env:TARGET'], again);
      assert.equal(back.code, 0, back.stderr);
    } finally {
      await target.stop();
    }
  });

  test('a database that is being served is refused, as source and as target', async () => {
    const port = await freePort();
    const server = start(['serve'], { cwd, env: { ...env, DATABASE_URL: from, PORT: String(port) } });
    await server.see(/"msg":"Listening"/);
    const refused = await copy(['--from', from, '--to', to]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^sqlite:here\.db is in use by "rollcall serve", .* Stop it first\.$/m);
    const asTarget = await copy(['--from', to.replace('there', 'here2'), '--to', from]);
    assert.notEqual(asTarget.code, 0);
    await server.stop();
    assert.equal((await copy(['--from', from, '--to', to])).code, 0);
  });

  for (const engine of ['sqlite', 'postgres'] as const) {
    test(`killed while it writes to ${engine}, it leaves an empty target that can be copied to`, async (t) => {
      const target = await startPostgresUrl({ migrated: false });
      t.after(target.stop);
      const url = engine === 'postgres' ? target.url : to;
      const sample = start(['sample', '--meetings', '12000', '--registrations', '40000'], { cwd });
      const { stdout: big } = await sample.ended;
      await run(['import', '-'], { cwd, env: { ...env, DATABASE_URL: 'sqlite:big.db' }, input: big });

      const child = spawn(
        process.execPath,
        [rollcall, 'copy', '--from', 'sqlite:big.db', '--to', 'env:THERE'],
        {
          cwd,
          env: { ...process.env, ...env, THERE: url },
          stdio: 'ignore',
        },
      );
      const ended = once(child, 'exit');
      await seenWriting(engine, { url: target.url, file: join(cwd, 'there.db') });
      child.kill('SIGKILL');
      assert.deepEqual(await ended, [null, 'SIGKILL']);

      const database = await openDatabase(engine === 'postgres' ? target.url : join(cwd, 'there.db'));
      try {
        await assertEmpty(database);
      } finally {
        await database.close();
      }
      const again = await copy(['--from', 'sqlite:big.db', '--to', url, '--json']);
      assert.equal(again.code, 0, again.stderr);
      assert.equal(JSON.parse(again.stdout).tables.meetings, 12_000);
    });
  }
});

/** Ends when the copy is in the middle of its transaction. */
async function seenWriting(
  engine: EngineName,
  { url, file }: { readonly url: string; readonly file: string },
): Promise<void> {
  const database =
    engine === 'postgres' ? await openDatabase(url) : await openDatabase(file, { timeoutMs: 50 });
  const until = performance.now() + 20_000;
  try {
    while (!(await isWriting(database))) {
      if (performance.now() > until) throw new Error('the copy was never seen writing');
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
      WHERE datname = current_database() AND query LIKE 'COPY registrations%' LIMIT 1`,
    );
    return rows.length > 0;
  }
  const isMigrated = await read.get(`SELECT 1 FROM sqlite_schema WHERE name = 'secret_key'`);
  return (
    isMigrated !== undefined &&
    write(async () => false).catch((error: unknown) => error instanceof Unavailable)
  );
}
