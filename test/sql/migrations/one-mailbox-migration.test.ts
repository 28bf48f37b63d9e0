import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { testUuid } from '@rollcall/core/testing';
import { findCollisions } from '#adapters/sql/maintenance/index.js';
import { startPostgresDatabase } from '../../support/postgres.js';
import { startSqliteDatabase } from '../../support/storage.js';

const starts = { sqlite: startSqliteDatabase, postgres: startPostgresDatabase };

const users = [
  [1, 'ana@xn--bcher-kva.example.test', 'ana@bücher.example.test'],
  [2, 'bo@bücher.example.test', 'bo@bücher.example.test'],
  // One mailbox, two people: both stay, and are listed.
  [3, 'bo@xn--bcher-kva.example.test', 'bo@xn--bcher-kva.example.test'],
  // The first of two gets the form that neither has.
  [4, 'cy@ｂücher.example.test', 'cy@bücher.example.test'],
  [5, 'cy@xn--bcher-kva.example.test', 'cy@xn--bcher-kva.example.test'],
  [6, 'xn--@example.test', 'xn--@example.test'],
  // Not a domain: it stays, and is listed.
  [7, 'di@xn--a.example.test', 'di@xn--a.example.test'],
] as const;

/** Each with whether it is pending. */
const invitations = [
  [11, 1, 'ed@xn--bcher-kva.example.test', true, 'ed@bücher.example.test'],
  [12, 1, 'ed@xn--bcher-kva.example.test', false, 'ed@bücher.example.test'],
  [13, 1, 'fi@bücher.example.test', true, 'fi@bücher.example.test'],
  [14, 1, 'fi@xn--bcher-kva.example.test', true, 'fi@xn--bcher-kva.example.test'],
  [15, 2, 'fi@xn--bcher-kva.example.test', true, 'fi@bücher.example.test'],
] as const;

for (const [engine, start] of Object.entries(starts)) {
  describe(`0026-one-mailbox over ${engine}`, () => {
    test('stores each address in its one form, and leaves the pairs to be listed', async () => {
      const { database, stop } = await start();
      try {
        await database.write(async (sql) => {
          for (const id of [1, 2])
            await sql.run('INSERT INTO organizations (id, name, eap) VALUES (?, ?, ?)', [id, 'Name', false]);
          for (const [id, email] of users)
            await sql.run(
              `INSERT INTO users (id, uuid, email, first_name, last_name, created_at)
              VALUES (?, ?, ?, 'Dana', 'Kim', ?)`,
              [id, testUuid(id), email, new Date(0)],
            );
          await sql.run(`DELETE FROM rollcall_migrations WHERE name = '0026-one-mailbox'`);
          for (const [number, organizationId, email, isPending] of invitations) {
            const at = new Date(Date.UTC(2026, 10, 20, 12, 0, number));
            await sql.run(
              `INSERT INTO invitations
                (id, organization_id, user_uuid, email, first_name, last_name, key_id, created_at, revoked_at)
              VALUES (?, ?, ?, ?, 'Dana', 'Kim', 'key', ?, ?)`,
              [testUuid(900 + number), organizationId, testUuid(number), email, at, isPending ? null : at],
            );
          }
        });
        assert.deepEqual(await database.migrate(), ['0026-one-mailbox']);

        assert.deepEqual(
          await database.read.all('SELECT id, email FROM users ORDER BY id'),
          users.map(([id, , email]) => ({ id, email })),
        );
        assert.deepEqual(
          await database.read.all('SELECT email FROM invitations ORDER BY id'),
          invitations.map(([, , , , email]) => ({ email })),
        );
        const { addresses } = await findCollisions(database);
        assert.deepEqual(
          addresses.map(({ look, users }) => [look, ...users.map(({ userId }) => userId)]),
          [
            ['bo@bücher.example.test', 2, 3],
            ['cy@bücher.example.test', 4, 5],
            ['di@xn--a.example.test', 7],
          ],
        );
      } finally {
        await stop();
      }
    });
  });
}
