import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { aMeeting } from '@rollcall/core/testing';
import type { Database } from '#adapters/sql/index.js';
import { startPartnerSite } from '../support/partner/partner-site.js';
import { usePartner } from '../support/partner/use-partner.js';
import { insertMeetings } from '../support/stored-meetings.js';
import type { MeetingCopy } from './program/meetings.js';
import type { Measured } from './program/stream-meetings.js';

const partner = usePartner();

const DAY_MS = 24 * 60 * 60 * 1000;

test('keeps a table of meetings by id and follows with updated_since', async (t) => {
  const { connection, meetings } = partner().program;
  const site = await startPartnerSite(t, 'sqlite');
  const mine = connection.connect(await site.addOrganization(1));
  await site.addOrganization(2);
  const all = Array.from({ length: 60 }, (_, index) =>
    aMeeting(index + 1, { status: index % 2 === 0 ? 'complete' : 'scheduled' }),
  );
  await site.importMeetings([...all, aMeeting(1000, { organizationId: 2 })]);

  const table = { rows: new Map(), latest: null };
  const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
  assert.deepEqual(await meetings.follow(mine, table), numbers(1, 60));
  assert.deepEqual(await meetings.follow(mine, table), []);

  // Changes, additions, and an import that changes nothing.
  await site.importMeetings([aMeeting(7, { name: 'Grief circle' }), aMeeting(8, { status: 'cancel' })]);
  assert.deepEqual(await meetings.follow(mine, table), [7, 8]);
  await site.importMeetings([
    aMeeting(9, { status: 'complete' }),
    ...numbers(61, 70).map((id) => aMeeting(id)),
  ]);
  assert.deepEqual(await meetings.follow(mine, table), numbers(61, 70));
  await site.importMeetings(numbers(61, 70).map((id) => aMeeting(id)));
  assert.deepEqual(await meetings.follow(mine, table), []);
  await site.importMeetings([aMeeting(61, { price: 12 })]);
  assert.deepEqual(await meetings.follow(mine, table), [61]);

  const again = { rows: new Map(), latest: null };
  await meetings.follow(mine, again);
  const byId = ({ rows }: typeof again) => [...rows].sort(([a], [b]) => a - b);
  assert.deepEqual(byId(table), byId(again));
  assert.equal(table.rows.size, 70);
  assert.equal(table.rows.get(61)?.price, 12);
});

test('keeps a copy by meeting_changes, also after its place has expired', async (t) => {
  const { connection, meetings } = partner().program;
  const site = await startPartnerSite(t, 'sqlite');
  const mine = connection.connect(await site.addOrganization(1));
  await site.addOrganization(2);
  const copy: MeetingCopy = { rows: new Map(), after: null };
  const isRight = async () => {
    await meetings.keepCopy(mine, copy);
    const exported: number[] = [];
    const request = { 'column[]': ['id' as const], reporting_days: 'everything' as const };
    for await (const { id = 0 } of mine.api.exportMeetings({ organizationId: 1, ...request }))
      exported.push(id);
    const ascending = (one: number, other: number) => one - other;
    assert.deepEqual([...copy.rows.keys()].sort(ascending), exported.sort(ascending));
  };
  await isRight();
  await site.load({ changedMeetings: Array.from({ length: 60 }, (_, index) => aMeeting(index + 1)) });
  await isRight();
  await site.load({
    changedMeetings: [aMeeting(7, { name: 'Grief circle' }), aMeeting(8, { organizationId: 2 })],
    deletedMeetings: [9, 10],
  });
  await isRight();
  assert.equal(copy.rows.size, 57);
  assert.equal(copy.rows.get(7)?.name, 'Grief circle');

  // The service restarts from an older backup, and knows less than the copy.
  const later = Date.parse('9999-01-01T00:00:00.000Z');
  copy.after = Buffer.from(JSON.stringify(['meeting-changes', 1, later, 1, later])).toString('base64url');
  copy.rows.set(1234, {});
  await isRight();
  assert.equal(copy.rows.size, 57);
});

test('streams 60,000 rows through the client in flat memory', async (t) => {
  const rows = 60_000;
  const site = await startPartnerSite(t, 'sqlite');
  const { baseUrl, accessKey } = await site.addOrganization(1);
  await addManyMeetings(site.database ?? assert.fail('no database'), rows);
  const program = join(partner().folder, 'stream-meetings.js');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--expose-gc', '--max-old-space-size=64', program, baseUrl, '1', accessKey],
    { timeout: 5 * 60_000 },
  );
  const measured = JSON.parse(stdout) as Measured;
  assert.deepEqual([measured.rows, measured.sum], [rows, (rows * (rows + 1)) / 2]);
  const grownMb = (measured.heapAtMost - measured.heapAtStart) / 2 ** 20;
  t.diagnostic(`heap ${(measured.heapAtStart / 2 ** 20).toFixed(1)} MB, grown by ${grownMb.toFixed(1)} MB`);
  assert.ok(grownMb < 5, `the heap has grown by ${grownMb} MB`);
});

test('its token expires in the middle of a day’s work and nothing breaks', async (t) => {
  const { connection, events, people } = partner().program;
  const site = await startPartnerSite(t, 'sqlite');
  const mine = connection.connect(await site.addOrganization(1));
  const authenticated = () => site.requests.filter((request) => request.endsWith('/authenticate')).length;
  await site.load({ meetings: Array.from({ length: 500 }, (_, index) => aMeeting(index + 1)) });
  const employees = Array.from({ length: 120 }, (_, index) => ({
    email: `employee-${index}@partner.test`,
    firstName: 'A',
    lastName: 'B',
  }));
  for (const employee of employees) await site.core.registerUser({ organizationId: 1, ...employee });

  // Between the pages of a list.
  const params = { path: { id: mine.id }, query: { limit: 50 } };
  const listed: string[] = [];
  for await (const { users } of mine.api.pages('/organizations/{id}/users', { params })) {
    listed.push(...users.map(({ email }) => email));
    site.advanceClock(DAY_MS + 1000);
  }
  assert.deepEqual(listed, employees.map(({ email }) => email).sort());
  assert.equal(authenticated(), 3);

  // Before a request that changes something.
  site.advanceClock(DAY_MS + 1000);
  const { id } = await people.invite(mine, { email: 'late@partner.test', firstName: 'L', lastName: 'L' });
  assert.match(id, /^[\da-f-]{36}$/);
  assert.equal(authenticated(), 4);

  // In the middle of an export.
  const seen: number[] = [];
  const columns = { 'column[]': ['id' as const], reporting_days: 'everything' as const };
  for await (const { id: meeting = 0 } of mine.api.exportMeetings({ organizationId: 1, ...columns })) {
    if (seen.length === 100) site.advanceClock(DAY_MS + 1000);
    seen.push(meeting);
  }
  assert.deepEqual(
    seen,
    Array.from({ length: 500 }, (_, index) => index + 1),
  );

  // Many requests at once share the new token.
  site.advanceClock(DAY_MS + 1000);
  const before = authenticated();
  const read = await Promise.all(Array.from({ length: 20 }, () => events.readOn(mine, undefined, 1000)));
  for (const { events: list } of read) assert.equal(list.length, 120);
  assert.equal(authenticated() - before, 1);
});

/** Adds this many meetings to organization 1 of an SQLite database, with the IDs from 1. */
async function addManyMeetings(database: Database, count: number): Promise<void> {
  await database.bulk((bulk) =>
    bulk.write(() =>
      bulk.run(
        `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
        ${insertMeetings({
          ...{ id: 'n', organization_id: '1', name: `'Meeting ' || n` },
          ...{ start_time: `'2026-11-20T18:00:00.000Z'`, end_time: `'2026-11-20T19:00:00.000Z'` },
          topic: `'A topic of some length, as real meetings have'`,
        })} FROM numbers`,
      ),
    ),
  );
}
