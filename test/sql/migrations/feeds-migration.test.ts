import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Database, sqlPorts } from '#adapters/sql/index.js';
import { healthFromLog } from '#adapters/sql/migrations/0005-feeds.health.js';
import { startPostgresDatabase } from '../../support/postgres.js';
import { startSqliteDatabase } from '../../support/storage.js';

const created = new Date('2026-11-20T12:00:00.000Z');
const at = (minute: number) => new Date(created.getTime() + minute * 60_000);
const starts = { sqlite: startSqliteDatabase, postgres: startPostgresDatabase } as const;

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`The migration for feeds on ${engine}`, () => {
    const migrationTest = (name: string, work: (database: Database) => Promise<void>) =>
      test(name, { timeout: 60_000 }, async () => {
        const { database, stop } = await starts[engine]();
        try {
          await work(database);
        } finally {
          await stop();
        }
      });

    migrationTest(
      'derives the health of each webhook from the delivery log, and causes no notice of old failures',
      async (database) => {
        await fill(database, [
          { organizationId: 1, states: ['failed', 'delivered', 'failed', 'skipped', 'failed'] },
          { organizationId: 2, states: ['failed', 'delivered'] },
          { organizationId: 3, states: [] },
          { organizationId: 4, states: ['failed'] },
        ]);
        await database.write(async (sql) => {
          for (const statement of healthFromLog) await sql.run(statement);
        });
        const { webhooks } = sqlPorts(database);
        const health = await Promise.all([1, 2, 3, 4].map((id) => webhooks.health(id)));
        assert.deepEqual(health, [
          { failuresInRow: 2, failingSince: at(2), lastDeliveredAt: at(1) },
          { failuresInRow: 0, failingSince: null, lastDeliveredAt: at(1) },
          { failuresInRow: 0, failingSince: null, lastDeliveredAt: null },
          { failuresInRow: 1, failingSince: at(0), lastDeliveredAt: null },
        ]);
        assert.equal(await webhooks.takeFailureNotice({ organizationId: 1, steps: [1, 2] }), null);
      },
    );

    migrationTest('counts deliveries of an older version as real ones, not tests', async (database) => {
      await fill(database, [{ organizationId: 1, states: ['failed'] }]);
      const [delivery] = await sqlPorts(database).deliveries.list({ organizationId: 1, limit: 2 });
      assert.deepEqual([delivery?.isTest, delivery?.state], [false, 'failed']);
    });

    migrationTest(
      'a calendar feed ends with the membership, even if that is deleted in SQL, and does not come back',
      async (database) => {
        const { calendarFeeds } = sqlPorts(database);
        await fill(database, [{ organizationId: 1, states: [] }]);
        const member = { organizationId: 1, userId: 1 };
        const join = (role: string) =>
          database.write((sql) =>
            sql.run(
              `INSERT INTO memberships (organization_id, user_id, uuid, role, created_at) VALUES (1, 1, ?, ?, ?)`,
              [uuid(1), role, created],
            ),
          );
        await database.write((sql) =>
          sql.run(
            `INSERT INTO users (id, uuid, email, first_name, last_name, created_at)
          VALUES (1, ?, 'a@example.test', 'A', 'B', ?)`,
            [uuid(1), created],
          ),
        );
        await join('member');
        assert.equal(await calendarFeeds.create({ ...member, hash: 'a', createdAt: created }), true);
        await database.write((sql) => sql.run('UPDATE memberships SET role = ?', ['admin']));
        assert.deepEqual(await calendarFeeds.find('a'), { ...member, createdAt: created });
        await database.write((sql) => sql.run('DELETE FROM memberships'));
        assert.equal(await calendarFeeds.find('a'), null);
        await join('member');
        assert.deepEqual([await calendarFeeds.find('a'), await calendarFeeds.of(member)], [null, null]);
      },
    );
  });
}

interface Log {
  readonly organizationId: number;
  /** One delivery per minute; each ends at once. */
  readonly states: readonly string[];
}

/** Writes rows like the version before this migration, without the new columns. */
async function fill(database: Database, logs: readonly Log[]): Promise<void> {
  await database.write(async (sql) => {
    for (const { organizationId, states } of logs) {
      await sql.run('INSERT INTO organizations (id, name, eap) VALUES (?, ?, ?)', [
        organizationId,
        'O',
        false,
      ]);
      await sql.run(
        `INSERT INTO webhooks (organization_id, url, enabled, events, sealed_secret, created_at, updated_at)
        VALUES (?, 'https://partner.test/', ?, '[]', 'sealed', ?, ?)`,
        [organizationId, true, created, created],
      );
      for (const [index, state] of states.entries()) {
        await sql.run(
          `INSERT INTO deliveries (organization_id, event_id, event_name, body, state, created_at, finished_at)
          VALUES (?, ?, 'user.registered', '{}', ?, ?, ?)`,
          [organizationId, uuid(organizationId * 100 + index), state, at(index), at(index)],
        );
      }
    }
  });
}

function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}
