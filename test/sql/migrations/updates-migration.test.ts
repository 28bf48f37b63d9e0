import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Database } from '#adapters/sql/index.js';
import { startPostgresDatabase } from '../../support/postgres.js';
import { startSqliteDatabase } from '../../support/storage.js';

const NAME = '0017-meetings-updated';
const starts = { sqlite: startSqliteDatabase, postgres: startPostgresDatabase };

/** Statements that undo the migration. */
const before0017: Readonly<Record<string, readonly string[]>> = {
  sqlite: [
    'DROP INDEX meetings_by_update',
    'DROP INDEX service_meetings_by_update',
    'ALTER TABLE meetings DROP COLUMN updated_at',
  ],
  postgres: [
    'DROP TRIGGER meetings_updated_at ON meetings',
    'DROP FUNCTION meetings_updated_at',
    'ALTER TABLE meetings DROP COLUMN updated_at',
  ],
};

/** Stores a meeting like an earlier release, without the new column. */
async function addMeeting({ write }: Database, id: number): Promise<void> {
  const at = '2026-11-20T18:00:00.000Z';
  await write((sql) =>
    sql.run(
      `INSERT INTO meetings (id, name, meeting_type, start_time, end_time, duration, status, topic, special_focus, host,
        location, max_attendees, privacy, eap, allow_meeting_donation, invitation_only, wait_list)
      VALUES (?, 'Circle', 'Group', ?, ?, 60, 'scheduled', '', '', '', 'zoom', 12, ?, ?, ?, ?, ?)`,
      [id, at, at, ...Array<boolean>(5).fill(false)],
    ),
  );
}

async function updatedAt({ read }: Database, id: number): Promise<string> {
  const row = await read.get<{ updated_at: string }>('SELECT updated_at FROM meetings WHERE id = ?', [id]);
  return String(row?.updated_at);
}

const now = (): string => new Date().toISOString();

for (const [engine, start] of Object.entries(starts)) {
  test(`${NAME} over ${engine} gives stored meetings the time of the migration`, async () => {
    const { database, stop } = await start();
    try {
      await database.write(async (sql) => {
        for (const statement of before0017[engine] ?? []) await sql.run(statement);
        await sql.run('DELETE FROM rollcall_migrations WHERE name = ?', [NAME]);
      });
      await addMeeting(database, 1);
      const from = now();
      assert.deepEqual(await database.migrate(), [NAME]);
      const time = await updatedAt(database, 1);
      assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.ok(time >= from && time <= now(), `${from} ${time} ${now()}`);
    } finally {
      await stop();
    }
  });
}

describe('An earlier release beside this one, on PostgreSQL', () => {
  test('gives meetings that it adds or changes the current time', async () => {
    const { database, stop } = await startPostgresDatabase();
    try {
      const from = now();
      await addMeeting(database, 1);
      await addMeeting(database, 2);
      const [added, other] = [await updatedAt(database, 1), await updatedAt(database, 2)];
      assert.ok(added >= from && added <= other && other <= now(), `${from} ${added} ${other}`);
      const sql = `INSERT INTO meetings SELECT * FROM meetings WHERE id = 1
        ON CONFLICT (id) DO UPDATE SET topic = 'Sleep'`;
      await database.write((on) => on.run(sql));
      const changed = await updatedAt(database, 1);
      assert.ok(changed > other && changed <= now(), `${other} ${changed}`);
      assert.equal(await updatedAt(database, 2), other);
    } finally {
      await stop();
    }
  });
});
