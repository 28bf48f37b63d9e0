import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { sampleDataset } from '#app/sample/sample-dataset.js';
import { linesOf, run, temporaryDirectory } from '../support/app-cli.js';
import {
  type Fields,
  meeting,
  membership,
  ndjson,
  organization,
  registration,
  tables,
  user,
  waiting,
} from '../support/import-records.js';
import { withDatabase } from '../support/opened-database.js';

/** The counts that an import printed, without its times. */
function countsOf(stdout: string): Fields {
  const {
    seconds: _seconds,
    records_per_second: _speed,
    apply_seconds: _applySeconds,
    ...rest
  } = JSON.parse(stdout);
  return rest;
}

/** Stored meetings without the time of their import. */
function withoutUpdates(meetings: readonly unknown[] = []): readonly unknown[] {
  return (meetings as readonly Fields[]).map(({ updated_at: _updatedAt, ...rest }) => rest);
}

/** A directory with a database that each call imports into. A test that gives its context removes it. */
function createImportFolder(context?: TestContext) {
  const directory = temporaryDirectory();
  context?.after(() => directory.remove());
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
      return withDatabase(`sqlite:${join(cwd, 'data', 'rollcall.db')}`, async (database) => {
        const dumped: Record<string, readonly unknown[]> = {};
        for (const table of tables)
          dumped[table] = await database.read.all(`SELECT * FROM ${table} ORDER BY 1, 2`);
        return dumped;
      });
    },
  };
}

/** The lines of a message, without the progress that a slow machine prints before it. */
function withoutProgress(stderr: string): readonly string[] {
  return linesOf(stderr).filter((line) => !/^Read [\d,]+ records$/.test(line));
}

describe('rollcall import', () => {
  let here: ReturnType<typeof createImportFolder>;
  before(() => {
    here = createImportFolder();
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
    assert.deepEqual(countsOf(second.stdout), countsOf(first.stdout));
    assert.deepEqual(await here.dump(), stored);
  });

  test('reads gzip, recognized by its first bytes, and lines in any order', async (t) => {
    const other = createImportFolder(t);
    const records = [waiting, registration, meeting, membership, user, organization];
    const { code, stderr } = await other.importFile('data.bin', gzipSync(ndjson(...records)));
    assert.equal(code, 0, stderr);
    const forward = createImportFolder(t);
    const plain = await forward.importText(
      `\ufeff${ndjson(...[...records].reverse()).replaceAll('\n', '\r\n\n\ufeff')}`,
    );
    assert.equal(plain.code, 0, plain.stderr);
    const utf16 = Buffer.from('\ufeff{}\r\n', 'utf16le');
    for (const bytes of [utf16, Buffer.from(utf16).swap16()])
      assert.match(
        (await forward.importFile('16', bytes)).stderr,
        /^line 1: is UTF-16; write the dataset in UTF-8\n/,
      );
    const [one, two] = await Promise.all([other.dump(), forward.dump()]);
    assert.deepEqual(withoutUpdates(one.meetings), withoutUpdates(two.meetings));
    assert.deepEqual(one.users, two.users);
  });

  test('stores normalized timestamps, addresses and UUIDs, computes missing times, and stores no access key', async (t) => {
    const other = createImportFolder(t);
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
  });

  test('stores the end of an offer, keeps it when left out, and changes and empties it', async (t) => {
    const other = createImportFolder(t);
    const offered = { ...waiting, status: 'offered' };
    const first = await other.importText(ndjson(organization, user, membership, meeting, offered));
    assert.equal(first.code, 0, first.stderr);
    for (const [offer, expected] of [
      [{}, null],
      [{ offered_until: '2026-11-19T18:00:00+01:00' }, '2026-11-19T17:00:00.000Z'],
      [{}, '2026-11-19T17:00:00.000Z'],
      [{ offered_until: '2026-11-18T18:00:00.5Z' }, '2026-11-18T18:00:00.500Z'],
      [{ offered_until: null }, null],
    ] as const) {
      const { code, stderr } = await other.importText(ndjson({ ...offered, ...offer }));
      assert.equal(code, 0, stderr);
      const [entry] = ((await other.dump()) as Record<string, Fields[]>).waitlist_entries ?? [];
      assert.equal(entry?.offered_until, expected);
    }
    const wrong = await other.importText(ndjson({ ...offered, offered_until: 'tomorrow' }));
    assert.match(
      wrong.stderr,
      /^line 1, field offered_until: must be a valid date and time with its offset, such as 2026-11-20T18:00:00Z, or null\n/,
    );
  });

  test('removes records marked as deleted, and reads only their keys', async (t) => {
    const other = createImportFolder(t);
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
  });

  test('prints the counts on standard output and explains them on standard error', async (t) => {
    const other = createImportFolder(t);
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
  });

  test('warns of statuses that close no meeting and of durations that contradict the times, and stores them', async (t) => {
    const other = createImportFolder(t);
    const rounded = { ...meeting, id: 8, duration: 90, end_time: '2026-11-20T19:29:30Z' };
    const cancelled = { ...meeting, status: 'cancelled' };
    const dataset = ndjson(
      organization,
      meeting,
      { ...meeting, id: 2, status: 'complete' },
      { ...meeting, id: 2, status: 'rescheduled' },
      { ...meeting, id: 3, status: 'cancel', duration: 90 },
      { ...cancelled, id: 4 },
      { ...cancelled, id: 5, duration: 45 },
      { ...meeting, id: 6, status: '\u001b[2J', duration: 91 },
      { kind: 'meeting', id: 7, status: 'cancelled', duration: 1, deleted: true },
      rounded,
    );
    const messages = [
      '2 meetings (the first on line 6) have the status "cancelled", which counts as open: meetings with it are upcoming until they end. Only "complete" and "cancel" close a meeting.',
      '1 meeting (line 8) has the status "\\u001b[2J", which counts as open: meetings with it are upcoming until they end. Only "complete" and "cancel" close a meeting.',
      '2 meetings (the first on line 7) have a duration that differs from the time between start_time and end_time. Lists of upcoming meetings show the time between the two, and exports show the duration.',
    ];
    const { code, stdout, stderr } = await other.importText(dataset);
    assert.equal(code, 0, stderr);
    const counts = countsOf(stdout);
    assert.deepEqual(counts.meeting, { stored: 7, removed: 0 });
    assert.deepEqual(counts.warnings, [
      { field: 'status', value: 'cancelled', count: 2, line: 6, message: messages[0] },
      { field: 'status', value: '\u001b[2J', count: 1, line: 8, message: messages[1] },
      { field: 'duration', value: null, count: 2, line: 7, message: messages[2] },
    ]);
    const shown = linesOf(stderr).filter((line) => line.startsWith('Warning: '));
    assert.deepEqual(
      shown,
      messages.map((message) => `Warning: ${message}`),
    );

    const none = await other.importText(ndjson(meeting, rounded));
    assert.deepEqual(countsOf(none.stdout).warnings, []);
  });

  test('reports no warning beside an error, and at most ten statuses', async (t) => {
    const other = createImportFolder(t);
    const meetings = Array.from({ length: 12 }, (_, id) => ({
      ...meeting,
      id: id + 1,
      status: `state ${id}`,
    }));
    const wrong = await other.importText(ndjson(organization, ...meetings, { kind: 'unit' }));
    assert.equal(wrong.code, 1);
    assert.doesNotMatch(wrong.stderr, /Warning/);
    const { stdout } = await other.importText(ndjson(organization, ...meetings));
    assert.equal((countsOf(stdout).warnings as readonly unknown[]).length, 10);
  });

  test('names the line and the field of an error, exits with 1 and keeps nothing', async () => {
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

  test('reports the first ten invalid lines and the number of the others, and keeps nothing', async () => {
    const stored = await here.dump();
    const good = { ...organization, id: 9, access_key: '9'.repeat(24) };
    const wrong = ['{', '[]', '{"kind":"unit"}', JSON.stringify({ ...good, id: '9' })];
    const lines = (count: number) => [
      JSON.stringify(good),
      '',
      ...Array.from({ length: count }, (_, index) => wrong[index % 4] ?? ''),
      JSON.stringify({ ...registration, meeting_id: 99_999 }),
    ];
    const few = await here.importText(lines(4).join('\n'));
    assert.deepEqual([few.code, few.stdout], [1, '']);
    assert.deepEqual(withoutProgress(few.stderr), [
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

  test('reports damaged data as the last error', async () => {
    const text = gzipSync(`{\n${`${JSON.stringify(user)}\n`.repeat(5000)}`);
    const { code, stderr } = await here.importText(text.subarray(0, text.length - 20));
    assert.equal(code, 1);
    assert.deepEqual(linesOf(stderr), [
      'line 1: is not valid JSON',
      'dataset: the gzip data is damaged or incomplete',
      'Nothing was imported.',
    ]);
  });

  test('reports a reference to a missing record with its line', async () => {
    const stored = await here.dump();
    const { code, stderr } = await here.importText(
      ndjson({ ...organization, id: 9, access_key: undefined }, { ...registration, meeting_id: 99_999 }),
    );
    assert.deepEqual([code, linesOf(stderr)[0]], [1, 'line 2, field meeting_id: there is no meeting 99999']);
    assert.deepEqual(await here.dump(), stored);
  });

  const refused: readonly (readonly [what: string, content: string | Uint8Array, message: RegExp])[] = [
    ['invalid JSON', '{"kind":\n', /^line 1: is not valid JSON$/],
    ['a line that is not an object', '[1]\n', /^line 1: must be a JSON object/],
    ['a line of more than 1 MB', `{"kind":"${'x'.repeat(1_000_001)}"}\n`, /^line 1: is longer than 1 MB/],
    ['a last line of more than 1 MB', `\n\n${'x'.repeat(2_000_000)}`, /^line 3: is longer than 1 MB/],
    [
      'a line that is not UTF-8',
      Buffer.concat([Buffer.from(ndjson(user)), Buffer.from([0x7b, 0xff, 0x7d, 0x0a])]),
      /^line 2: is not valid UTF-8$/,
    ],
    [
      'truncated gzip',
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

  test('accepts an empty dataset', async () => {
    const { code } = await here.importText('');
    assert.equal(code, 0);
  });

  for (const [name, message] of [
    ['missing.ndjson', 'missing.ndjson: the file does not exist.'],
    ['data', 'data is a directory, not a dataset.'],
  ]) {
    test(`reports in one line why it cannot read ${name}`, async () => {
      const { code, stdout, stderr } = await run(['import', String(name)], { cwd: here.cwd });
      assert.deepEqual([code, stdout, linesOf(stderr)], [1, '', [message]]);
    });
  }
});
