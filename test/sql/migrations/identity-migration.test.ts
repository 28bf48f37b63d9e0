import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { testUuid } from '@rollcall/core/testing';
import { type Database, sqlPorts } from '#adapters/sql/index.js';
import { findCollisions } from '#adapters/sql/maintenance/index.js';
import { startPostgresDatabase } from '../../support/postgres.js';
import { startSqliteDatabase } from '../../support/storage.js';

const starts = { sqlite: startSqliteDatabase, postgres: startPostgresDatabase };

/** Statements that undo 0007-identity. */
const before0007: Readonly<Record<string, readonly string[]>> = {
  sqlite: [
    'DROP TABLE platform_numbers',
    'DELETE FROM sqlite_sequence',
    `DELETE FROM rollcall_migrations WHERE name = '0007-identity'`,
  ],
  postgres: [
    'DROP TABLE platform_numbers',
    'ALTER SEQUENCE users_id_seq RESTART',
    'ALTER SEQUENCE organizations_id_seq RESTART',
    `DELETE FROM rollcall_migrations WHERE name = '0007-identity'`,
  ],
};

const OWN = 1_000_000_000_001;
const at = (second: number): Date => new Date(Date.UTC(2026, 10, 20, 12, 0, second));
/** The same address with a decomposed "é" (letter and mark) and with a composed one. */
const [decomposed, composed] = ['re\u0301ne@example.test', 'réne@example.test'];

/** Writes rows like earlier releases. The number of a user also determines the UUID and the time. */
async function fillLikeEarlierReleases({ write }: Database): Promise<void> {
  const names = ['first_name', 'last_name'];
  await write(async (sql) => {
    for (const id of [1, 2])
      await sql.run('INSERT INTO organizations (id, name, eap) VALUES (?, ?, ?)', [id, 'Name', false]);
    const user = (id: number, email: string, uuid = testUuid(id)) =>
      sql.run(
        `INSERT INTO users (id, uuid, email, ${names.join(', ')}, created_at) VALUES (?, ?, ?, ?, ?, ?)`,
        [id, uuid, email, 'Dana', 'Kim', at(0)],
      );
    const joined = async (id: number, email: string, uuid = testUuid(id)) => {
      await sql.run(
        `INSERT INTO memberships (organization_id, user_id, uuid, role, created_at) VALUES (1, ?, ?, 'member', ?)`,
        [id, uuid, at(id)],
      );
      await sql.run(
        `INSERT INTO invitations (id, organization_id, user_uuid, email, ${names.join(', ')}, key_id, created_at, accepted_at)
        VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?)`,
        [testUuid(900 + id), testUuid(id), email, 'Dana', 'Kim', 'key', at(0), at(id)],
      );
    };
    await user(1, 'imported@example.test');
    await user(2, 'joined@example.test');
    await joined(2, 'joined@example.test');
    // Joined as 3, but an import has replaced the user with another person.
    await user(3, 'taken@example.test', testUuid(33));
    await joined(3, 'lost@example.test', testUuid(33));
    // Joined as 4, but an import has changed the address.
    await user(4, 'moved@example.test');
    await joined(4, 'before@example.test');
    // 5 joined with an existing account. 6 joined, but is no longer a member.
    await user(5, 'known@example.test', testUuid(55));
    await joined(5, 'known@example.test');
    await user(6, 'left@example.test');
    await joined(6, 'left@example.test');
    await sql.run('DELETE FROM memberships WHERE user_id = 6');
    // 7 joined with the decomposed form of an address.
    await user(7, decomposed);
    await joined(7, decomposed);
    await user(8, 'nai\u0308ve@example.test');
    await user(9, 'naïve@example.test');
    await user(10, 'da\u034fna@example.test');
    for (const [number, email, organizationId] of [
      [11, decomposed, 1],
      [12, 'nai\u0308ve@example.test', 1],
      [13, 'naïve@example.test', 1],
      [14, composed, 2],
    ] as const) {
      await sql.run(
        `INSERT INTO invitations (id, organization_id, user_uuid, email, ${names.join(', ')}, key_id, created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        [testUuid(900 + number), organizationId, testUuid(number), email, 'Dana', 'Kim', 'key', at(0)],
      );
    }
  });
}

for (const [engine, start] of Object.entries(starts)) {
  describe(`0007-identity over ${engine}`, () => {
    test('separates future numbers, normalizes email addresses, and leaves a list of collisions', async () => {
      const { database, stop } = await start();
      try {
        assert.deepEqual(await findCollisions(database), { accounts: [], addresses: [], numbers: [] });
        await database.write(async (sql) => {
          for (const statement of before0007[engine] ?? []) await sql.run(statement);
        });
        await fillLikeEarlierReleases(database);
        assert.deepEqual(await database.migrate(), ['0007-identity']);

        const own = await database.read.all('SELECT user_id, platform_id FROM platform_numbers ORDER BY 1');
        assert.deepEqual(
          own,
          [2, 4, 6, 7].map((user_id) => ({ user_id, platform_id: null })),
        );
        const { organizations, users } = sqlPorts(database);
        assert.equal((await organizations.create({ name: 'Two', eap: false })).id, OWN);
        assert.equal((await users.byEmail(composed))?.id, 7);
        const pending = await database.read.all(
          'SELECT email FROM invitations WHERE accepted_at IS NULL ORDER BY id',
        );
        assert.deepEqual(pending, [
          { email: composed },
          { email: 'nai\u0308ve@example.test' },
          { email: 'naïve@example.test' },
          { email: composed },
        ]);

        const found = await findCollisions(database);
        assert.deepEqual(
          found.accounts.map(({ userId, organizationId, acceptedAt, invited, now }) => [
            ...[userId, organizationId, acceptedAt],
            ...[invited.email, invited.uuid, now.email, now.uuid],
          ]),
          [
            [3, 1, at(3), 'lost@example.test', testUuid(3), 'taken@example.test', testUuid(33)],
            [4, 1, at(4), 'before@example.test', testUuid(4), 'moved@example.test', testUuid(4)],
          ],
        );
        assert.deepEqual(found.addresses, [
          {
            look: 'naïve@example.test',
            users: [
              { userId: 9, email: 'naïve@example.test' },
              { userId: 8, email: 'nai\u0308ve@example.test' },
            ],
          },
          { look: 'dana@example.test', users: [{ userId: 10, email: 'da\u034fna@example.test' }] },
        ]);
        assert.deepEqual(
          found.numbers.map(({ number, email, platformUserId }) => [number, email, platformUserId]),
          [
            [2, 'joined@example.test', null],
            [4, 'moved@example.test', null],
            [6, 'left@example.test', null],
            [7, composed, null],
          ],
        );
      } finally {
        await stop();
      }
    });

    test('continues after the largest number, or starts at the first one if there is none', async () => {
      const { database, stop } = await start();
      try {
        await database.write(async (sql) => {
          for (const statement of before0007[engine] ?? []) await sql.run(statement);
          await sql.run('INSERT INTO organizations (id, name, eap) VALUES (?, ?, ?)', [
            OWN + 70,
            'Large',
            false,
          ]);
        });
        assert.deepEqual(await database.migrate(), ['0007-identity']);
        const { organizations, users } = sqlPorts(database);
        assert.equal((await organizations.create({ name: 'Next', eap: false })).id, OWN + 71);
        const person = { uuid: testUuid(1), email: 'a@b.test', firstName: 'A', lastName: 'B' };
        const user = await users.create({ ...person, passwordHash: null, createdAt: at(0) });
        assert.equal(user?.id, OWN);
      } finally {
        await stop();
      }
    });
  });
}
