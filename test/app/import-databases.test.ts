import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { type Database, openDatabase, sqlPorts } from '#adapters/sql/index.js';
import type { DatasetError } from '#adapters/sql/maintenance/index.js';
import { loadDataset } from '#app/dataset/load-dataset.js';
import { sampleDataset } from '#app/sample/sample-dataset.js';
import {
  type Fields,
  meeting,
  membership,
  ndjson,
  organization,
  registration,
  rules,
  tables,
  user,
  waiting,
} from '../support/import-records.js';
import { startPostgresDatabase, startPostgresUrl } from '../support/postgres.js';
import { startSqliteDatabase } from '../support/storage.js';

describe('An import into SQLite or PostgreSQL', () => {
  const at = new Date('2026-11-20T12:00:00.000Z');

  async function loadInto(database: Database, records: readonly Fields[]): Promise<unknown> {
    const source = Readable.from([Buffer.from(ndjson(...records))]);
    return loadDataset({ database, source, rules, at }).catch((error: DatasetError) => [
      error.line,
      error.field,
      error.message,
    ]);
  }

  test('refuses gzip that unpacks to more than the limit, and stores nothing of it', async (t) => {
    const { database, stop } = await startSqliteDatabase();
    t.after(stop);
    const text = Buffer.from(ndjson(organization) + `${' '.repeat(900_000)}\n`.repeat(20));
    const bomb = gzipSync(text);
    assert.ok(text.length > 500 * bomb.length, `${bomb.length} bytes`);
    const load = (maxUnpackedBytes: number) =>
      loadDataset({ database, source: Readable.from([bomb]), maxUnpackedBytes, rules, at });
    const stored = () => database.read.all('SELECT id FROM organizations');
    await assert.rejects(load(text.length - 1), {
      line: null,
      message: `the gzip data has more than ${(text.length - 1) / 1e9} GB when decompressed: split it, or send it uncompressed`,
    });
    assert.deepEqual(await stored(), []);
    await load(text.length);
    assert.deepEqual(await stored(), [{ id: 1 }]);
  });

  /** Everything that is stored, with booleans as numbers. Of times of update, only their order is the same. */
  async function stored(database: Database): Promise<string> {
    const dumped: Record<string, readonly unknown[]> = {};
    for (const table of [...tables, 'complete_meeting_counts', 'tied_meeting_counts'])
      dumped[table] = await database.read.all(`SELECT * FROM ${table} ORDER BY 1, 2`);
    const meetings = dumped.meetings as readonly { readonly updated_at: string }[];
    const times = [...new Set(meetings.map(({ updated_at }) => updated_at))].sort();
    return JSON.stringify(dumped, (key, value) => {
      if (key === 'updated_at') return times.indexOf(value);
      return typeof value === 'boolean' ? Number(value) : value;
    });
  }

  /** The sample data already uses the `idp_id` of `membership`. */
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
        { ...waiting, status: 'offered', offered_until: '2026-11-19T18:00:00+01:00' },
        { ...service, eap_organization_ids: [2] },
        { ...user, first_name: 'Last' },
      ],
    ],
    [
      'users who swap addresses, and an access key that moves to another organization',
      [
        { ...user, email: other.email },
        { ...other, email: user.email },
        { ...organization, access_key: '2'.repeat(24) },
        { ...second, access_key: '1'.repeat(24) },
      ],
    ],
    [
      'fields that are left out, and meetings that move in time and between organizations',
      [
        { kind: 'organization', id: 1, name: 'Renamed' },
        { ...meeting, start_time: '2026-12-01T18:00:00Z', end_time: '2026-12-01T19:00:00Z' },
        { ...done, organization_id: 2, eap: false },
        { ...service, start_time: '2026-11-20T17:00:00Z', eap_organization_ids: undefined },
      ],
    ],
    ['an offer without an end, and one that ends later', [{ ...waiting, offered_until: null }, waiting]],
    ['a reference to a missing user', [{ ...membership, user_id: 99_999 }], true],
    [
      'an address that belongs to someone else',
      [{ ...user, id: 102, uuid: `${user.uuid.slice(0, -1)}9` }],
      true,
    ],
    ['a new group leader', [{ ...meeting, group_leader_id: 101 }]],
    ['the removal of that group leader', [{ kind: 'user', id: 101, deleted: true }], true],
    [
      'removals',
      [
        { kind: 'meeting', id: 4, deleted: true },
        { ...meeting, organization_id: null },
        { kind: 'user', id: 100, deleted: true },
      ],
    ],
  ];

  /** The constraints, indexes and triggers of PostgreSQL, with their status: an import by a command alone recreates some. */
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
    ['while a server runs', true],
    ['by a command alone', false],
  ] as const) {
    test(`has the same outcome in both databases, ${how}`, async () => {
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

    test(`names the line of a reference to a row deleted since the check, and keeps nothing, ${how}`, () =>
      refusesDeletedReference(serves));
  }

  test('writes nothing if nothing has changed', async (t) => {
    const { database, stop } = await startPostgresDatabase();
    t.after(stop);
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
  });

  for (const [what, preparation] of [
    [
      'whose role owns none of the tables',
      [
        `DO $$ BEGIN CREATE ROLE stores_only; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
        'GRANT ALL ON ALL TABLES IN SCHEMA public TO stores_only',
        'GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO stores_only',
        `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET role = stores_only', current_database()); END $$`,
      ],
    ],
    [
      'although a table of an operator refers to an index',
      [
        'CREATE UNIQUE INDEX named ON meetings (id, name)',
        'CREATE TABLE notes (id BIGINT, name TEXT, FOREIGN KEY (id, name) REFERENCES meetings (id, name))',
      ],
    ],
    [
      'and keeps the marks of an operator on indexes',
      [
        'CREATE UNIQUE INDEX identity ON meetings (id, start_time)',
        'ALTER TABLE meetings REPLICA IDENTITY USING INDEX identity',
        'CREATE INDEX "By User" ON registrations (user_id)',
        'ALTER TABLE registrations CLUSTER ON "By User"',
      ],
    ],
  ] as const) {
    test(`is stored by a command ${what}`, () => isStoredByCommand(preparation));
  }

  test('is stored by a command without waiting for another one that reads', () =>
    isStoredByCommand([], { reading: 'SELECT 1 FROM registrations' }));

  async function isStoredByCommand(
    preparation: readonly string[],
    { reading = null }: { readonly reading?: string | null } = {},
  ): Promise<void> {
    const { url, stop } = await startPostgresUrl({ migrated: true });
    const operator = await openDatabase(url, { serves: false });
    for (const text of preparation) await operator.read.run(text);
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

  async function refusesDeletedReference(serves: boolean): Promise<void> {
    const { url, stop } = await startPostgresUrl({ migrated: true });
    const database = await openDatabase(url, { serves });
    try {
      await loadInto(database, [organization, user, meeting]);
      const steps: string[] = [];
      let deleting: Promise<unknown> = Promise.resolve();
      // Deletes the meeting, and commits only after the import has begun to wait for it.
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
