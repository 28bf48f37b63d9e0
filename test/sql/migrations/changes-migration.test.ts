import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChangePlace } from '@rollcall/core';
import { exportColumns } from '@rollcall/core/rules';
import { aMeeting, anOrganization } from '@rollcall/core/testing';
import { startPostgresDatabase } from '../../support/postgres.js';
import { startSqliteDatabase, storageOver } from '../../support/storage.js';

const NAME = '0019-meeting-changes';
const starts = { sqlite: startSqliteDatabase, postgres: startPostgresDatabase };

/** Statements that undo the migration. */
const undone = [
  'DROP TABLE pruned_tombstones',
  'DROP TABLE meeting_tombstones',
  'DROP TABLE meeting_clock',
  'DROP INDEX service_meetings_by_update',
  'DROP INDEX meetings_by_update',
  'ALTER TABLE service_meeting_organizations DROP COLUMN updated_at',
];

for (const [engine, start] of Object.entries(starts)) {
  for (const isFilled of [true, false]) {
    test(`${NAME} over ${engine} lets a reader begin ${isFilled ? 'with the stored meetings' : 'without any'}`, async () => {
      const started = storageOver(await start());
      const { database, storage, load, stop } = started;
      try {
        await load({ organizations: [anOrganization(1, { eap: true })] });
        const own = aMeeting(1);
        const tied = aMeeting(2, { organizationId: null, eapOrganizationIds: [1] });
        if (isFilled) await load({ changedMeetings: [own, tied] });
        await database?.write(async (sql) => {
          for (const statement of undone) await sql.run(statement);
          await sql.run('DELETE FROM rollcall_migrations WHERE name = ?', [NAME]);
        });
        assert.deepEqual(await database?.migrate(), [NAME]);

        const read = async (after: ChangePlace | null) => {
          const page = await storage.meetings.changes({
            ...{ organizationId: 1, after, limit: 9, columns: exportColumns },
          });
          assert.ok(page !== null);
          return { ids: page.changes.map(({ id, row }) => (row === null ? -id : id)), next: page.next };
        };
        const first = await read(null);
        assert.deepEqual(first.ids, isFilled ? [1, 2] : []);
        await load({ changedMeetings: [{ ...tied, topic: 'Sleep' }], deletedMeetings: [1] });
        assert.deepEqual((await read(first.next)).ids, isFilled ? [-1, 2] : [2]);
      } finally {
        await stop();
      }
    });
  }
}
