import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { testUuid } from '@rollcall/core/testing';
import { type Database, sqlPorts } from '#adapters/sql/index.js';
import { startPostgresDatabase } from '../../support/postgres.js';
import { startSqliteDatabase } from '../../support/storage.js';

const at = new Date('2026-11-20T12:00:00.000Z');
const starts = { sqlite: startSqliteDatabase, postgres: startPostgresDatabase };

/** Statements that undo 0002-dashboard. */
const before0002 = [
  'DROP TABLE audit_entries',
  'DROP INDEX invitations_by_time',
  'ALTER TABLE invitations DROP COLUMN invited_by',
  'ALTER TABLE invitations DROP COLUMN invited_by_user_id',
  'ALTER TABLE organizations DROP COLUMN access_key_used_at',
  `DELETE FROM rollcall_migrations WHERE name = '0002-dashboard'`,
];

/** Writes rows like the release before 0002-dashboard, which may run beside the next one for a while. */
async function writeLikePreviousRelease({ write }: Database, number: number): Promise<void> {
  await write(async (sql) => {
    await sql.run('INSERT INTO organizations (id, name, eap) VALUES (?, ?, ?)', [number, 'One', false]);
    await sql.run(
      `INSERT INTO invitations (id, organization_id, user_uuid, email, first_name, last_name, key_id, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      [testUuid(number), number, testUuid(100 + number), 'dana@example.test', 'Dana', 'Kim', 'key', at],
    );
    await sql.run(
      'UPDATE organizations SET access_key_hash = ?, access_key_created_at = ?, access_key_generation = 1 WHERE id = ?',
      [`hash ${number}`, at, number],
    );
  });
}

for (const [engine, start] of Object.entries(starts)) {
  describe(`0002-dashboard over ${engine}`, () => {
    test('upgrades a database of the previous release, and lets that release continue', async () => {
      const { database, stop } = await start();
      try {
        await database.write(async (sql) => {
          for (const statement of before0002) await sql.run(statement);
        });
        await writeLikePreviousRelease(database, 1);
        assert.deepEqual(await database.pendingMigrations(), ['0002-dashboard']);
        assert.deepEqual(await database.migrate(), ['0002-dashboard']);
        await writeLikePreviousRelease(database, 2);

        const { invitations, organizations, auditTrail } = sqlPorts(database);
        for (const organizationId of [1, 2]) {
          const all = { organizationId, offset: 0, limit: 9 };
          const { invitations: listed } = await invitations.list(all);
          assert.deepEqual(
            listed.map(({ id, invitedBy, inviter }) => [id, invitedBy, inviter]),
            [[testUuid(organizationId), null, null]],
          );
          assert.deepEqual(await organizations.accessKey(organizationId), {
            createdAt: at,
            usedAt: null,
            previous: null,
          });
          assert.deepEqual(await auditTrail.list(all), { total: 0, entries: [] });
        }
      } finally {
        await stop();
      }
    });

    test('an access key that the previous release has replaced counts as unused', async () => {
      const { database, stop } = await start();
      try {
        await writeLikePreviousRelease(database, 1);
        const { organizations } = sqlPorts(database);
        await organizations.touchAccessKey({ organizationId: 1, generation: 1, at });
        assert.deepEqual(await organizations.accessKey(1), { createdAt: at, usedAt: at, previous: null });
        const later = new Date(at.getTime() + 1);
        await database.write((sql) =>
          sql.run(
            'UPDATE organizations SET access_key_hash = ?, access_key_created_at = ?, access_key_generation = 2',
            ['next', later],
          ),
        );
        assert.deepEqual(await organizations.accessKey(1), {
          createdAt: later,
          usedAt: null,
          previous: null,
        });
        assert.equal((await organizations.byAccessKeyHash(['next']))?.accessKeyUsedAt, null);
      } finally {
        await stop();
      }
    });
  });
}
