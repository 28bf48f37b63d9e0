import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { exportColumns } from '@rollcall/core/rules';
import { createRecordCheck } from '#app/dataset/record-check.js';
import { sampleDataset } from '#app/sample/sample-dataset.js';
import type { SampleRecord } from '#app/sample/sample-record.js';
import { type TrialRequest, trialDataset } from '#app/sample/trial-dataset.js';
import { run, temporaryDirectory } from '../support/app-cli.js';
import { withDatabase } from '../support/opened-database.js';

const now = new Date('2026-11-20T00:00:00.000Z');

function trial(given: Partial<TrialRequest> = {}): readonly SampleRecord[] {
  const size = { meetings: 400, members: 60, organizations: 4, registrations: 2000, seed: 1 };
  return [...trialDataset({ ...size, now, locations: ['service', 'zoom'], ...given })];
}

function countKinds(records: readonly SampleRecord[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { kind } of records) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

const ofKind = (records: readonly SampleRecord[], kind: string) =>
  records.filter((record) => record.kind === kind);

describe('A dataset for trials', () => {
  const records = trial();

  test('has exactly the size that was asked for', () => {
    const { waitlist_entry, ...counts } = countKinds(records);
    assert.deepEqual(counts, {
      organization: 4,
      user: 60,
      membership: 60,
      meeting: 400,
      registration: 2000,
    });
    assert.ok(waitlist_entry !== undefined && waitlist_entry > 0);
    const none = countKinds(trial({ meetings: 1, members: 1, organizations: 3, registrations: 0 }));
    assert.deepEqual(none, { organization: 3, user: 1, membership: 1, meeting: 1 });
    const full = countKinds(trial({ meetings: 7, members: 5, organizations: 2, registrations: 35 }));
    assert.equal(full.registration, 35);
  });

  test('passes every check of an import, and has no duplicate keys, as the sample data', () => {
    const check = createRecordCheck({
      locations: ['service', 'zoom'],
      accessKeyHashes: () => ['hash'],
      organizationOf: async () => null,
    });
    const full = trial({ meetings: 7, members: 5, organizations: 2, registrations: 35 });
    for (const all of [records, full, [...sampleDataset({ now, locations: ['service', 'zoom'] })]]) {
      for (const [index, record] of all.entries()) check({ number: index + 1, text: JSON.stringify(record) });
      const keys = all.map(({ kind, id, organization_id, meeting_id, user_id }) =>
        [kind, id ?? meeting_id ?? organization_id, user_id].join(' '),
      );
      assert.equal(new Set(keys).size, keys.length);
    }
  });

  test('refers only to records that it contains', () => {
    const ids = (kind: string) => new Set(ofKind(records, kind).map(({ id }) => id));
    const [organizations, users, meetings] = [ids('organization'), ids('user'), ids('meeting')];
    for (const { organization_id = null, user_id, meeting_id, group_leader_id = null } of records) {
      assert.ok(organization_id === null || organizations.has(organization_id));
      assert.ok(group_leader_id === null || users.has(group_leader_id));
      assert.ok(user_id === undefined || users.has(user_id));
      assert.ok(meeting_id === undefined || meetings.has(meeting_id));
    }
  });

  test('registers members of the meeting’s organization, if it has enough', () => {
    const organizationOf = new Map(
      ofKind(records, 'membership').map(({ user_id, organization_id }) => [user_id, organization_id]),
    );
    const meetings = new Map(
      ofKind(records, 'meeting').map(({ id, organization_id }) => [id, organization_id]),
    );
    for (const { meeting_id, user_id } of ofKind(records, 'registration')) {
      const organizationId = meetings.get(meeting_id);
      if (organizationId !== null) assert.equal(organizationOf.get(user_id), organizationId);
    }
  });

  test('has one upcoming meeting in twenty, and past meetings are complete or cancelled', () => {
    const meetings = ofKind(records, 'meeting');
    const upcoming = meetings.filter(({ end_time }) => String(end_time) > now.toISOString());
    assert.ok(Math.abs(upcoming.length - 20) <= 1, String(upcoming.length));
    assert.ok(upcoming.every(({ status }) => status !== 'complete'));
    const past = new Set(meetings.filter((one) => !upcoming.includes(one)).map(({ status }) => status));
    assert.deepEqual([...past].sort(), ['cancel', 'complete']);
  });

  test('has rows that take about 705 bytes in an export', () => {
    const rows = ofKind(trial({ meetings: 4000, registrations: 0 }), 'meeting').map((meeting) => {
      const row = exportColumns.map(({ key, as }) => [as, meeting[key]]);
      return Buffer.byteLength(JSON.stringify(Object.fromEntries(row)));
    });
    const mean = rows.reduce((sum, bytes) => sum + bytes, 0) / rows.length;
    assert.ok(Math.abs(mean - 705) < 10, `a row has ${mean} bytes`);
  });

  test('is the same for the same seed, and differs for another', () => {
    const digest = (all: readonly SampleRecord[]) =>
      createHash('sha256').update(JSON.stringify(all)).digest('hex');
    assert.equal(digest(trial()), digest(records));
    assert.notEqual(digest(trial({ seed: 2 })), digest(records));
  });

  test('has no access key, and keeps those that exist when it is imported', async (t) => {
    assert.deepEqual(
      records.filter((record) => 'access_key' in record),
      [],
    );
    const directory = temporaryDirectory();
    t.after(() => directory.remove());
    const cwd = directory.path;
    const input = trial({ meetings: 1, registrations: 0 })
      .map((record) => `${JSON.stringify(record)}\n`)
      .join('');
    const imported = async () => {
      const { code, stderr } = await run(['import', '-'], { cwd, input });
      assert.equal(code, 0, stderr);
      return withDatabase(join(cwd, 'data', 'rollcall.db'), ({ read }) =>
        read.all<{ id: number; hash: string | null }>(
          'SELECT id, access_key_hash AS hash FROM organizations ORDER BY id',
        ),
      );
    };
    assert.deepEqual(
      (await imported()).map(({ hash }) => hash),
      [null, null, null, null],
    );
    assert.equal((await run(['access-key', 'generate', '--organization', '1'], { cwd })).code, 0);
    assert.deepEqual(
      (await imported()).map(({ hash }) => hash !== null),
      [true, false, false, false],
    );
  });
});

describe('rollcall sample', () => {
  test('writes the dataset, one record per line, and creates no files', async (t) => {
    const directory = temporaryDirectory();
    t.after(() => directory.remove());
    const cwd = directory.path;
    const size = ['--meetings', '30', '--members', '8', '--organizations', '2', '--registrations', '100'];
    const { code, stdout, stderr } = await run(
      ['sample', ...size, '--seed', '7', '--now', '2026-11-20T00:00:00Z'],
      { cwd, env: { SERVICE_NAME: 'Acme Circles' } },
    );
    assert.deepEqual([code, stderr], [0, '']);
    const request = { meetings: 30, members: 8, organizations: 2, registrations: 100, seed: 7 };
    const expected = trial({ ...request, locations: ['acme-circles', 'zoom'] });
    assert.equal(stdout, expected.map((record) => `${JSON.stringify(record)}\n`).join(''));
    const files = await run(['sample', '--meetings', '1'], { cwd });
    assert.equal(files.code, 0);
    assert.deepEqual((await import('node:fs')).readdirSync(cwd), []);
  });
});
