import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { type Database, DatasetError, openDatabase, sqlPorts } from '#adapters/sql/index.js';
import type { DatasetRules } from '#app/dataset/dataset-rules.js';
import { loadDataset } from '#app/dataset/load-dataset.js';
import { createRecordCheck } from '#app/dataset/record-check.js';
import { sampleDataset } from '#app/sample/sample-dataset.js';
import { linesOf, run, temporaryDirectory } from '../support/app-cli.js';
import { startPostgresDatabase, startPostgresUrl } from '../support/postgres.js';
import { SqliteDatabase } from '../support/sqlite.js';
import { startSqliteDatabase } from '../support/storage.js';

const organization = {
  kind: 'organization',
  id: 1,
  name: 'Northwind',
  eap: true,
  access_key: '1'.repeat(24),
};
const user = {
  kind: 'user',
  id: 100,
  uuid: '8F6F1C52-52D2-4F3B-9A8E-0E6A2B7F0001',
  email: ' Dana@Example.TEST ',
  first_name: 'Dana',
  last_name: 'Kim',
  created_at: '2026-01-05T10:00:00+01:00',
};
const membership = { kind: 'membership', organization_id: 1, user_id: 100, role: 'member', idp_id: 'idp-0' };
const meeting = {
  kind: 'meeting',
  id: 1,
  organization_id: 1,
  name: 'Grief circle',
  meeting_type: 'Group',
  start_time: '2026-11-20T18:00:00Z',
  end_time: '2026-11-20T19:30:00Z',
  status: 'scheduled',
  location: 'zoom',
};
const registration = {
  kind: 'registration',
  meeting_id: 1,
  user_id: 100,
  registered_at: '2026-11-01T10:00:00Z',
};
const waiting = { kind: 'waitlist_entry', meeting_id: 1, user_id: 100, status: 'waiting' };

type Fields = Readonly<Record<string, unknown>>;

const rules: DatasetRules = {
  locations: ['service', 'zoom'],
  accessKeyHashes: (accessKey) => [`hash of ${accessKey}`],
  organizationOf: async () => null,
};

function ndjson(...records: readonly Fields[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** What an import printed, without how long it took. */
function untimed(stdout: string): Fields {
  const {
    seconds: _seconds,
    records_per_second: _speed,
    apply_seconds: _applySeconds,
    ...rest
  } = JSON.parse(stdout);
  return rest;
}

const tables = [
  'organizations',
  'users',
  'memberships',
  'meetings',
  'service_meeting_organizations',
  'registrations',
  'waitlist_entries',
];

/** One directory with one database, imported into by each call. */
function place() {
  const directory = temporaryDirectory();
  const cwd = directory.path;
  return {
    cwd,
    remove: directory.remove,
    importText: (text: string | Uint8Array) => run(['import', '-', '--json'], { cwd, input: text }),
    importFile(name: string, content: string | Uint8Array) {
      writeFileSync(join(cwd, name), content);
      return run(['import', name, '--json'], { cwd });
    },
    /** Everything that is stored, table by table. */
    async dump(): Promise<Readonly<Record<string, readonly unknown[]>>> {
      const database = await openDatabase(`sqlite:${join(cwd, 'data', 'rollcall.db')}`);
      try {
        const dumped: Record<string, readonly unknown[]> = {};
        for (const table of tables)
          dumped[table] = await database.read.all(`SELECT * FROM ${table} ORDER BY 1, 2`);
        return dumped;
      } finally {
        await database.close();
      }
    },
  };
}

/** The lines of a message. On a slow machine there is progress before it. */
function withoutProgress(stderr: string): readonly string[] {
  return linesOf(stderr).filter((line) => !/^Read [\d,]+ records$/.test(line));
}

describe('rollcall import', () => {
  let here: ReturnType<typeof place>;
  before(() => {
    here = place();
  });
  after(() => here.remove());

  test('loads the sample data, and loading it again changes nothing', async () => {
    const records = [...sampleDataset({ now: new Date(), locations: ['service', 'zoom'] })];
    const first = await here.importFile('sample.ndjson', ndjson(...records));
    assert.equal(first.code, 0, first.stderr);
    const counts = JSON.parse(first.stdout);
    assert.deepEqual(counts.meeting, { stored: 2000, removed: 0 });
    assert.deepEqual(counts.organization, { stored: 3, removed: 0 });
    assert.equal(counts.records, records.length);
    assert.ok(counts.seconds > counts.apply_seconds && counts.records_per_second > 0);

    const stored = await here.dump();
    const second = await here.importFile('sample.ndjson', ndjson(...records));
    assert.equal(second.code, 0, second.stderr);
    assert.deepEqual(untimed(second.stdout), untimed(first.stdout));
    assert.deepEqual(await here.dump(), stored);
  });

  test('reads gzip, known by its first bytes, and any order of lines', async () => {
    const other = place();
    try {
      const records = [waiting, registration, meeting, membership, user, organization];
      const { code, stderr } = await other.importFile('data.bin', gzipSync(ndjson(...records)));
      assert.equal(code, 0, stderr);
      const forward = place();
      try {
        const plain = await forward.importText(
          `\ufeff${ndjson(...[...records].reverse()).replaceAll('\n', '\r\n\n')}`,
        );
        assert.equal(plain.code, 0, plain.stderr);
        const [one, two] = await Promise.all([other.dump(), forward.dump()]);
        assert.deepEqual(one.meetings, two.meetings);
        assert.deepEqual(one.users, two.users);
      } finally {
        forward.remove();
      }
    } finally {
      other.remove();
    }
  });

  test('stores the one form of everything: moments, addresses, UUIDs, times computed from one another, no access key', async () => {
    const other = place();
    try {
      const { end_time: _end, ...withoutEnd } = meeting;
      const second = { ...withoutEnd, id: 2, duration: 45, start_time: '2026-11-20T19:00:00.123456+01:00' };
      const { code, stderr } = await other.importText(ndjson(organization, user, meeting, second));
      assert.equal(code, 0, stderr);
      const {
        organizations = [],
        users = [],
        meetings = [],
      } = (await other.dump()) as Record<string, Fields[]>;
      const [storedUser] = users;
      assert.deepEqual(
        [storedUser?.email, storedUser?.uuid, storedUser?.created_at],
        ['dana@example.test', user.uuid.toLowerCase(), '2026-01-05T09:00:00.000Z'],
      );
      assert.deepEqual(
        meetings.map(({ start_time, end_time, duration }) => [start_time, end_time, duration]),
        [
          ['2026-11-20T18:00:00.000Z', '2026-11-20T19:30:00.000Z', 90],
          ['2026-11-20T18:00:00.123Z', '2026-11-20T18:45:00.123Z', 45],
        ],
      );
      assert.ok(!JSON.stringify(organizations).includes(organization.access_key));
    } finally {
      other.remove();
    }
  });

  test('removes what is marked as deleted, by its key alone', async () => {
    const other = place();
    try {
      await other.importText(ndjson(organization, user, membership, meeting, registration, waiting));
      const removal = await other.importText(
        ndjson(
          { kind: 'waitlist_entry', deleted: true, meeting_id: 1, user_id: 100 },
          { ...meeting, deleted: true, status: 7 },
        ),
      );
      assert.equal(removal.code, 0, removal.stderr);
      const counts = JSON.parse(removal.stdout);
      assert.deepEqual([counts.waitlist_entry.removed, counts.meeting.removed], [1, 1]);
      const { meetings, registrations, waitlist_entries, users } = await other.dump();
      assert.deepEqual([meetings, registrations, waitlist_entries], [[], [], []]);
      assert.equal(users?.length, 1);
    } finally {
      other.remove();
    }
  });

  test('tells in words what is as in the file, new or known, with the data on standard output', async () => {
    const other = place();
    try {
      writeFileSync(join(other.cwd, 'small.ndjson'), ndjson(organization, user));
      for (const _time of ['first', 'again']) {
        const { code, stdout, stderr } = await run(['import', 'small.ndjson'], { cwd: other.cwd });
        assert.equal(code, 0);
        assert.deepEqual(
          linesOf(stdout).map((line) => line.replace(/ +/g, ' ')),
          ['organization 1 stored', 'user 1 stored'],
        );
        assert.match(
          stderr,
          /^Imported\. Stored records may be new, changed or the same as before:\n2 records in [\d.]+ s\.\n$/m,
        );
      }
    } finally {
      other.remove();
    }
  });

  test('an error anywhere names line and field, exits with 1 and keeps nothing', async () => {
    const stored = await here.dump();
    const bad = { ...meeting, id: 90_002, end_time: '2026-11-20T17:59:59Z' };
    const text = ndjson(
      { ...organization, id: 9, access_key: '9'.repeat(24) },
      { ...meeting, id: 90_001 },
      bad,
    );
    const { code, stdout, stderr } = await here.importText(text);
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.deepEqual(linesOf(stderr), [
      'line 3, field end_time: must not be before start_time',
      'Nothing was imported.',
    ]);
    assert.deepEqual(await here.dump(), stored);
  });

  test('the first ten wrong lines are told, how many more there are, and nothing is kept', async () => {
    const stored = await here.dump();
    const good = { ...organization, id: 9, access_key: '9'.repeat(24) };
    const wrong = ['{', '[]', '{"kind":"unit"}', JSON.stringify({ ...good, id: '9' })];
    const lines = (count: number) => [
      JSON.stringify(good),
      '',
      ...Array.from({ length: count }, (_, index) => wrong[index % 4] ?? ''),
      JSON.stringify({ ...registration, meeting_id: 99_999 }),
    ];
    const told = await here.importText(lines(4).join('\n'));
    assert.deepEqual([told.code, told.stdout], [1, '']);
    assert.deepEqual(withoutProgress(told.stderr), [
      'line 3: is not valid JSON',
      'line 4: must be a JSON object such as {"kind":"organization","id":1,"name":"Northwind"}',
      'line 5, field kind: must be one of organization, user, membership, meeting, registration, waitlist_entry',
      'line 6, field id: must be an integer',
      'Nothing was imported.',
    ]);
    const ten = withoutProgress((await here.importText(lines(10).join('\n'))).stderr);
    assert.deepEqual(
      [ten.length, ten.at(-2)],
      [11, 'line 12: must be a JSON object such as {"kind":"organization","id":1,"name":"Northwind"}'],
    );
    const many = withoutProgress((await here.importText(lines(40_000).join('\n'))).stderr);
    assert.deepEqual(many.slice(0, 10), ten.slice(0, 10));
    assert.deepEqual(many.slice(10), ['and 39,990 more', 'Nothing was imported.']);
    assert.deepEqual(await here.dump(), stored);
  });

  test('data that can’t be read any further is the last mistake that is told', async () => {
    const text = gzipSync(`{\n${`${JSON.stringify(user)}\n`.repeat(5000)}`);
    const { code, stderr } = await here.importText(text.subarray(0, text.length - 20));
    assert.equal(code, 1);
    assert.deepEqual(linesOf(stderr), [
      'line 1: is not valid JSON',
      'dataset: the gzip data is damaged or incomplete',
      'Nothing was imported.',
    ]);
  });

  test('a reference to nothing is told with its line, at the end', async () => {
    const stored = await here.dump();
    const { code, stderr } = await here.importText(
      ndjson({ ...organization, id: 9, access_key: undefined }, { ...registration, meeting_id: 99_999 }),
    );
    assert.deepEqual([code, linesOf(stderr)[0]], [1, 'line 2, field meeting_id: there is no meeting 99999']);
    assert.deepEqual(await here.dump(), stored);
  });

  const refused: readonly (readonly [what: string, content: string | Uint8Array, message: RegExp])[] = [
    ['invalid JSON', '{"kind":\n', /^line 1: is not valid JSON$/],
    ['no object', '[1]\n', /^line 1: must be a JSON object/],
    ['a line of more than 1 MB', `{"kind":"${'x'.repeat(1_000_001)}"}\n`, /^line 1: is longer than 1 MB/],
    ['a last line of more than 1 MB', `\n\n${'x'.repeat(2_000_000)}`, /^line 3: is longer than 1 MB/],
    [
      'what is not UTF-8',
      Buffer.concat([Buffer.from(ndjson(user)), Buffer.from([0x7b, 0xff, 0x7d, 0x0a])]),
      /^line 2: is not valid UTF-8$/,
    ],
    [
      'gzip that is cut off',
      gzipSync(ndjson(organization)).subarray(0, 40),
      /^dataset: the gzip data is damaged or incomplete$/,
    ],
  ];
  for (const [what, content, message] of refused) {
    test(`refuses ${what}`, async () => {
      const { code, stderr } = await here.importText(content);
      assert.equal(code, 1);
      const [first = '', ...rest] = linesOf(stderr);
      assert.match(first, message);
      assert.deepEqual(rest, ['Nothing was imported.']);
    });
  }

  test('an empty dataset is no error', async () => {
    const { code } = await here.importText('');
    assert.equal(code, 0);
  });

  for (const [name, message] of [
    ['missing.ndjson', 'missing.ndjson: the file does not exist.'],
    ['data', 'data is a directory, not a dataset.'],
  ]) {
    test(`says so in one line when it is given ${name}`, async () => {
      const { code, stdout, stderr } = await run(['import', String(name)], { cwd: here.cwd });
      assert.deepEqual([code, stdout, linesOf(stderr)], [1, '', [message]]);
    });
  }
});

describe('An import into either database', () => {
  const at = new Date('2026-11-20T12:00:00.000Z');

  async function loadInto(database: Database, records: readonly Fields[]): Promise<unknown> {
    const source = Readable.from([Buffer.from(ndjson(...records))]);
    return loadDataset({ database, source, rules, at }).catch((error: DatasetError) => [
      error.line,
      error.field,
      error.message,
    ]);
  }

  /** Everything that is stored, with truth as numbers. */
  async function stored(database: Database): Promise<string> {
    const dumped: Record<string, readonly unknown[]> = {};
    for (const table of [...tables, 'complete_meeting_counts', 'tied_meeting_counts'])
      dumped[table] = await database.read.all(`SELECT * FROM ${table} ORDER BY 1, 2`);
    return JSON.stringify(dumped, (_key, value) => (typeof value === 'boolean' ? Number(value) : value));
  }

  /** The sample data has the other one's `idp_id`. */
  const joined = { ...membership, idp_id: 'idp-of-100' };
  const other = { ...user, id: 101, uuid: '8f6f1c52-52d2-4f3b-9a8e-0e6a2b7f0002', email: 'o@example.test' };
  const service = { ...meeting, id: 3, organization_id: null, eap_organization_ids: [1, 2], price: 1e-7 };
  const done = {
    ...meeting,
    id: 4,
    status: 'complete',
    eap: true,
    price: 12.5,
    meeting_description: 'a\u0001"',
  };
  const second = { kind: 'organization', id: 2, name: 'Contoso' };
  const steps: readonly (readonly [what: string, records: readonly Fields[], isRefused?: true])[] = [
    [
      'sample data',
      [...sampleDataset({ now: at, locations: ['service', 'zoom'], members: 50 })].slice(0, 6000),
    ],
    [
      'every kind, some twice, in any order',
      [
        ...[waiting, registration, service, done, meeting, joined, user, other, second, organization],
        { ...waiting, status: 'offered' },
        { ...service, eap_organization_ids: [2] },
        { ...user, first_name: 'Last' },
      ],
    ],
    [
      'users who change address with each other, a key that changes hands',
      [
        { ...user, email: other.email },
        { ...other, email: user.email },
        { ...organization, access_key: '2'.repeat(24) },
        { ...second, access_key: '1'.repeat(24) },
      ],
    ],
    [
      'what is left out, a meeting that moves in time and between organizations',
      [
        { kind: 'organization', id: 1, name: 'Renamed' },
        { ...meeting, start_time: '2026-12-01T18:00:00Z', end_time: '2026-12-01T19:00:00Z' },
        { ...done, organization_id: 2, eap: false },
        { ...service, start_time: '2026-11-20T17:00:00Z', eap_organization_ids: undefined },
      ],
    ],
    ['a reference to nothing', [{ ...membership, user_id: 99_999 }], true],
    ['an address that somebody else has', [{ ...user, id: 102, uuid: `${user.uuid.slice(0, -1)}9` }], true],
    ['a leader who is removed', [{ ...meeting, group_leader_id: 101 }]],
    ['a leader who is removed, indeed', [{ kind: 'user', id: 101, deleted: true }], true],
    [
      'removals',
      [
        { kind: 'meeting', id: 4, deleted: true },
        { ...meeting, organization_id: null },
        { kind: 'user', id: 100, deleted: true },
      ],
    ],
  ];

  /** Of PostgreSQL, which an import by a command alone makes anew: what it is, and whether it is at work. */
  async function schemaOf({ read }: Database): Promise<unknown> {
    return read.all(
      `SELECT conrelid::regclass::text AS at, conname AS name, pg_get_constraintdef(oid) AS is, convalidated::text AS works
      FROM pg_constraint WHERE connamespace = current_schema()::regnamespace
      UNION ALL SELECT indrelid::regclass::text, relname, pg_get_indexdef(indexrelid),
        concat(indisvalid, indisclustered, indisreplident)
      FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE relnamespace = current_schema()::regnamespace
      UNION ALL SELECT tgrelid::regclass::text, tgname, pg_get_triggerdef(oid), tgenabled::text
      FROM pg_trigger WHERE NOT tgisinternal
      ORDER BY 1, 2, 3`,
    );
  }

  for (const [how, serves] of [
    ['while others are served', true],
    ['by a command alone', false],
  ] as const) {
    test(`has the same outcome in both, ${how}`, async () => {
      const sqlite = await startSqliteDatabase();
      const { url, stop } = await startPostgresUrl({ migrated: true });
      const postgres = await openDatabase(url, { serves });
      try {
        const schema = await schemaOf(postgres);
        for (const [what, records, isRefused] of steps) {
          const outcome = await loadInto(sqlite.database, records);
          assert.deepEqual(await loadInto(postgres, records), outcome, what);
          assert.equal(Array.isArray(outcome), isRefused === true, `${what}: ${JSON.stringify(outcome)}`);
          assert.deepEqual(
            JSON.parse(await stored(postgres)),
            JSON.parse(await stored(sqlite.database)),
            what,
          );
          assert.deepEqual(await schemaOf(postgres), schema, what);
        }
        const create = { name: 'New', eap: false };
        assert.deepEqual(
          await sqlPorts(postgres).organizations.create(create),
          await sqlPorts(sqlite.database).organizations.create(create),
        );
      } finally {
        await sqlite.stop();
        await postgres.close();
        await stop();
      }
    });

    test(`names the line of what PostgreSQL finds gone since it was checked, and keeps nothing, ${how}`, () =>
      findsGone(serves));
  }

  test('writes nothing where all is as it was', async () => {
    const { database, stop } = await startPostgresDatabase();
    try {
      const written = async () =>
        database.read.all(
          `SELECT xmin::text, ctid::text FROM meetings UNION ALL SELECT xmin::text, ctid::text FROM registrations ORDER BY 1, 2`,
        );
      const records = [organization, user, membership, meeting, done, second, service, registration];
      const outcome = await loadInto(database, records);
      const before = await written();
      assert.equal(before.length, 4, JSON.stringify(outcome));
      assert.deepEqual(await loadInto(database, records), outcome);
      assert.deepEqual(await written(), before);
      await loadInto(database, [{ ...meeting, topic: 'another' }]);
      assert.notDeepEqual(await written(), before);
    } finally {
      await stop();
    }
  });

  for (const [what, prepared] of [
    [
      'by a role that owns none of the tables',
      [
        `DO $$ BEGIN CREATE ROLE stores_only; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
        'GRANT ALL ON ALL TABLES IN SCHEMA public TO stores_only',
        'GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO stores_only',
        `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET role = stores_only', current_database()); END $$`,
      ],
    ],
    [
      'beside a table of an operator that refers to their index',
      [
        'CREATE UNIQUE INDEX named ON meetings (id, name)',
        'CREATE TABLE notes (id BIGINT, name TEXT, FOREIGN KEY (id, name) REFERENCES meetings (id, name))',
      ],
    ],
    [
      'with indexes that an operator has marked',
      [
        'CREATE UNIQUE INDEX identity ON meetings (id, start_time)',
        'ALTER TABLE meetings REPLICA IDENTITY USING INDEX identity',
        'CREATE INDEX "By User" ON registrations (user_id)',
        'ALTER TABLE registrations CLUSTER ON "By User"',
      ],
    ],
  ] as const) {
    test(`is stored by a command alone ${what}`, () => storesFirst(prepared));
  }

  test('is stored by a command alone while another one reads, and waits for nobody', () =>
    storesFirst([], { reading: 'SELECT 1 FROM registrations' }));

  async function storesFirst(
    prepared: readonly string[],
    { reading = null }: { readonly reading?: string | null } = {},
  ): Promise<void> {
    const { url, stop } = await startPostgresUrl({ migrated: true });
    const operator = await openDatabase(url, { serves: false });
    for (const text of prepared) await operator.read.run(text);
    const command = await openDatabase(url, { serves: false });
    const snapshot = await operator.snapshot();
    try {
      const schema = await schemaOf(operator);
      if (reading !== null) await snapshot.all(reading);
      const loading = loadInto(command, [organization, user, membership, meeting, registration]);
      const outcome = await Promise.race([loading, pause(10_000, ['too late'], { ref: false })]);
      assert.equal(Array.isArray(outcome), false, JSON.stringify(outcome));
      assert.deepEqual(await schemaOf(operator), schema);
      assert.deepEqual(await operator.read.all('SELECT meeting_id FROM registrations'), [{ meeting_id: 1 }]);
    } finally {
      await snapshot.release();
      await operator.close();
      await command.close();
      await stop();
    }
  }

  async function findsGone(serves: boolean): Promise<void> {
    const { url, stop } = await startPostgresUrl({ migrated: true });
    const database = await openDatabase(url, { serves });
    try {
      await loadInto(database, [organization, user, meeting]);
      const steps: string[] = [];
      let deleting: Promise<unknown> = Promise.resolve();
      // The meeting is gone, but nobody sees that before the import waits for it.
      await new Promise<void>((deleted) => {
        deleting = database.write(async (sql) => {
          await sql.run('DELETE FROM meetings');
          deleted();
          while (!steps.includes('apply')) await pause(20);
          await pause(200);
        });
      });
      const source = Readable.from([Buffer.from(ndjson(registration))]);
      const loading = loadDataset({ database, source, rules, at, onStep: (step) => steps.push(step) });
      await assert.rejects(loading, { line: 1, field: 'meeting_id', message: 'there is no meeting 1' });
      await deleting;
      assert.deepEqual(steps, ['check', 'apply', 'check']);
      assert.deepEqual(await database.read.all('SELECT * FROM registrations'), []);
    } finally {
      await database.close();
      await stop();
    }
  }
});

describe('An import while somebody else writes', () => {
  /** Stores what is needed, then imports the record; in between, when all is checked, the statement is run. */
  async function importWhile(record: Fields, statement: string) {
    const { database, file, stop } = await startSqliteDatabase();
    try {
      const load = (records: readonly Fields[], onStep: (step: string) => void) =>
        loadDataset({
          database,
          source: Readable.from([Buffer.from(ndjson(...records))]),
          rules,
          at: new Date('2026-11-20T12:00:00.000Z'),
          onStep,
        });
      await load([organization, user, meeting], () => undefined);
      const steps: string[] = [];
      const result = await load([record], (step) => {
        steps.push(step);
        if (steps.length !== 2) return;
        const other = new SqliteDatabase(file);
        other.exec(statement);
        other.close();
      }).catch((error: unknown) => error);
      const stored = await database.read.all('SELECT time_zone FROM organizations');
      return { steps, result, stored, registrations: await database.read.all('SELECT * FROM registrations') };
    } finally {
      await stop();
    }
  }

  test('finds what is gone since it was checked, names the line and keeps nothing', async () => {
    const { steps, result, registrations } = await importWhile(registration, 'DELETE FROM meetings');
    assert.deepEqual(steps, ['check', 'apply', 'check']);
    assert.ok(result instanceof DatasetError);
    assert.deepEqual([result.line, result.field, result.message], [1, 'meeting_id', 'there is no meeting 1']);
    assert.deepEqual(registrations, []);
  });

  test('finds that somebody has a password by now, and changes nobody’s address', async () => {
    const moved = { ...user, email: 'moved@example.test' };
    const { steps, result } = await importWhile(moved, `UPDATE users SET password_hash = 'a hash'`);
    assert.deepEqual(steps, ['check', 'apply', 'check']);
    assert.ok(result instanceof DatasetError);
    assert.deepEqual([result.line, result.field], [1, 'email']);
  });

  test('looks again whose a number is that has changed hands', async () => {
    const numbers = 'INSERT INTO platform_numbers (user_id) VALUES (100)';
    const same = await importWhile({ ...user, first_name: 'Same' }, numbers);
    assert.deepEqual(same.steps, ['check', 'apply', 'check', 'apply']);
    const { steps, result } = await importWhile(registration, numbers);
    assert.deepEqual(steps, ['check', 'apply', 'check']);
    assert.ok(result instanceof DatasetError);
    assert.deepEqual([result.field, result.message], ['user_id', 'there is no user 100']);
  });

  test('keeps what it leaves out as it is stored in the end', async () => {
    const { steps, stored } = await importWhile(
      { kind: 'organization', id: 1, name: 'Renamed' },
      `UPDATE organizations SET time_zone = 'Europe/Berlin'`,
    );
    assert.deepEqual(steps, ['check', 'apply']);
    assert.deepEqual(stored, [{ time_zone: 'Europe/Berlin' }]);
  });
});

describe('The check of a record', () => {
  const check = createRecordCheck(rules);
  const checked = (record: Fields): Fields =>
    check({ number: 12, text: JSON.stringify(record) }) as unknown as Fields;

  test('hashes the access key and keeps nothing of it', () => {
    assert.deepEqual(checked(organization), {
      kind: 'organization',
      id: 1,
      name: 'Northwind',
      eap: true,
      access_key_hash: `hash of ${'1'.repeat(24)}`,
    });
  });

  test('leaves out what was left out', () => {
    assert.deepEqual(checked({ kind: 'organization', id: 1, name: 'N' }), {
      kind: 'organization',
      id: 1,
      name: 'N',
    });
    assert.deepEqual(checked(waiting), waiting);
  });

  test('brings an address to its one form', () => {
    assert.equal(checked({ ...user, email: ' Re\u0301ne\u0301@Example.TEST' }).email, 'réné@example.test');
  });

  test('of a removal keeps the key', () => {
    assert.deepEqual(checked({ ...user, deleted: true }), { kind: 'user', deleted: true, id: 100 });
    assert.deepEqual(checked({ ...membership, deleted: true }), {
      kind: 'membership',
      deleted: true,
      organization_id: 1,
      user_id: 100,
    });
  });

  const wrong: readonly (readonly [record: Fields, message: string])[] = [
    [
      { ...meeting, kind: 'appointment' },
      'kind: must be one of organization, user, membership, meeting, registration, waitlist_entry',
    ],
    [{ id: 1 }, 'kind: must be one of organization, user, membership, meeting, registration, waitlist_entry'],
    [{ ...user, first_name: undefined }, 'first_name: is required'],
    [{ ...user, nickname: 'D' }, 'nickname: is not a field of user'],
    [{ ...user, id: '100' }, 'id: must be an integer'],
    [{ ...user, id: 2 ** 53 }, 'id: must be <= 9007199254740991'],
    [{ ...user, uuid: 'not-a-uuid' }, 'uuid: must be a UUID'],
    [{ ...user, email: 'dana' }, 'email: must be an email address such as dana@example.com'],
    [
      { ...user, email: 'da\u034fna@example.test' },
      'email: must be an email address such as dana@example.com',
    ],
    [
      { ...user, email: 'dana@\u3164example.test' },
      'email: must be an email address such as dana@example.com',
    ],
    [{ ...user, first_name: '  ' }, 'first_name: must be more than spaces'],
    [{ ...user, first_name: 'a\u0000b' }, 'first_name: must not contain U+0000 or half of a surrogate pair'],
    [{ ...user, last_name: '\ud800' }, 'last_name: must not contain U+0000 or half of a surrogate pair'],
    [
      { ...user, created_at: '2026-02-30T00:00:00Z' },
      'created_at: must be a valid date and time with its offset, such as 2026-11-20T18:00:00Z',
    ],
    [
      { ...user, created_at: '2016-12-31T23:59:60Z' },
      'created_at: must be a valid date and time with its offset, such as 2026-11-20T18:00:00Z',
    ],
    [
      { ...user, created_at: '9999-12-31T23:59:59-01:00' },
      'created_at: must be a valid date and time with its offset, such as 2026-11-20T18:00:00Z',
    ],
    [
      { ...user, avatar: 'javascript:alert(1)' },
      'avatar: must be the http or https URL of a picture, or null',
    ],
    [{ ...organization, access_key: '123' }, 'access_key: must be 24 digits'],
    [
      { ...organization, time_zone: 'Mars/Olympus' },
      'time_zone: must be an IANA time zone such as Europe/Berlin, or null',
    ],
    [{ ...membership, role: 'boss' }, 'role: must be one of owner, admin, member'],
    [
      { ...meeting, start_time: '2026-11-20 18:00' },
      'start_time: must be a valid date and time with its offset, such as 2026-11-20T18:00:00Z',
    ],
    [{ ...meeting, end_time: undefined }, 'end_time: end_time or duration is required'],
    [
      { ...meeting, location: 'teams' },
      'location: must be service or zoom (see SERVICE_NAME and THIRD_PARTY_LOCATION)',
    ],
    [{ ...meeting, duration: -1 }, 'duration: must be >= 0'],
    [
      { ...meeting, eap_organization_ids: [1] },
      "eap_organization_ids: must be empty when organization_id is set: only the service's own meetings can be tied",
    ],
    [{ ...meeting, max_attendees: 2 ** 31 }, 'max_attendees: must be <= 2147483647'],
    [
      { ...waiting, status: 'hoping' },
      'status: must be one of waiting, accepted, rejected, offered, expired',
    ],
    [{ kind: 'meeting', deleted: true }, 'id: is required'],
    [{ ...user, deleted: 'yes' }, 'deleted: must be false'],
  ];
  for (const [record, message] of wrong) {
    test(`refuses ${message}`, () => {
      assert.throws(
        () => checked(record),
        (error: Error & { line?: number; field?: string }) => {
          assert.deepEqual([error.line, `${error.field}: ${error.message}`], [12, message]);
          return true;
        },
      );
    });
  }
});
