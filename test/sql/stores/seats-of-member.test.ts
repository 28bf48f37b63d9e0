import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type Database, sqlPorts } from '#adapters/sql/index.js';
import { startPostgresDatabase } from '../../support/postgres.js';
import { insertMeetings } from '../../support/stored-meetings.js';

const MEETINGS = 20_000;
const SEATS_EACH = 1_000;

/** Twelve members have many seats, so that the planner expects many. */
const rows = [
  `INSERT INTO organizations (id, name, eap) VALUES (1, 'Northwind', false)`,
  `INSERT INTO users (id, uuid, email, first_name, last_name, created_at)
    SELECT n, gen_random_uuid(), 'person' || n || '@example.test', 'F', 'L', now() FROM generate_series(1, 12) AS n`,
  `${insertMeetings({
    ...{ id: 'n', organization_id: '1', meeting_description: `repeat('text ', 100)` },
    ...{ start_time: `now() - n * interval '1 hour'`, end_time: `now() - n * interval '1 hour'` },
  })}
    FROM generate_series(1, ${MEETINGS}) AS n`,
  `INSERT INTO registrations (meeting_id, user_id, registered_at, end_time)
    SELECT n * ${MEETINGS / SEATS_EACH}, user_id, now(), now() - n * interval '1 hour'
    FROM generate_series(1, ${SEATS_EACH}) AS n CROSS JOIN generate_series(1, 12) AS user_id`,
];

/** How many meetings were read so far, and how often an index of registrations was used. */
async function reads(database: Database): Promise<{ readonly meetings: number; readonly byIndex: number }> {
  const row = await database.read.get<{ meetings: number; by_index: number }>(
    `SELECT (SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables WHERE relname = 'meetings') AS meetings,
      (SELECT idx_scan FROM pg_stat_user_tables WHERE relname = 'registrations') AS by_index`,
  );
  return { meetings: Number(row?.meetings), byIndex: Number(row?.by_index) };
}

test('The seats of a member are found on PostgreSQL without reading the meetings of others, however many seats people have', async (t) => {
  const { database, url, stop } = await startPostgresDatabase();
  t.after(stop);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const text of [...rows, 'ANALYZE']) await client.query(text);
  await client.end();
  const before = await reads(database);
  const found = await sqlPorts(database).meetings.seatsSince({
    ...{ organizationId: 1, userId: 2, endsAfter: new Date(0) },
  });
  assert.equal(found.length, SEATS_EACH);
  // A connection reports what it has read after a while.
  let after = before;
  for (let tries = 0; after.byIndex === before.byIndex && tries < 100; tries += 1) {
    await pause(100);
    after = await reads(database);
  }
  assert.ok(after.byIndex > before.byIndex, 'nothing was reported');
  assert.equal(after.meetings - before.meetings, SEATS_EACH);
});
