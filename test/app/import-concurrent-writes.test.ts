import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Database, sqlPorts } from '#adapters/sql/index.js';
import { DatasetError } from '#adapters/sql/maintenance/index.js';
import { lockMeetings } from '#adapters/sql/stores/meeting-clock.js';
import { loadDataset } from '#app/dataset/load-dataset.js';
import {
  type Fields,
  meeting,
  membership,
  ndjson,
  organization,
  registration,
  rules,
  user,
} from '../support/import-records.js';
import { startEmptyPostgresDatabase } from '../support/postgres.js';
import { SqliteDatabase } from '../support/sqlite.js';
import { startSqliteDatabase } from '../support/storage.js';

describe('An import during other writes', () => {
  /** Imports the record. Another connection runs the statement after the record was checked, before it is stored. */
  async function importWhile(record: Fields, statement: string) {
    const { database, file, stop } = await startSqliteDatabase();
    try {
      const load = (records: readonly Fields[], onStep: (step: string) => void) =>
        loadDataset({
          database,
          source: Readable.from([Buffer.from(ndjson(...records))]),
          rules,
          at: new Date('2026-11-20T12:00:00.000Z'),
          onStep,
        });
      await load([organization, user, meeting], () => undefined);
      const steps: string[] = [];
      const result = await load([record], (step) => {
        steps.push(step);
        if (steps.length !== 2) return;
        const other = new SqliteDatabase(file);
        other.exec(statement);
        other.close();
      }).catch((error: unknown) => error);
      const stored = await database.read.all('SELECT time_zone FROM organizations');
      return { steps, result, stored, registrations: await database.read.all('SELECT * FROM registrations') };
    } finally {
      await stop();
    }
  }

  test('detects a row deleted after the check, names the line and keeps nothing', async () => {
    const { steps, result, registrations } = await importWhile(registration, 'DELETE FROM meetings');
    assert.deepEqual(steps, ['check', 'apply', 'check']);
    assert.ok(result instanceof DatasetError);
    assert.deepEqual([result.line, result.field, result.message], [1, 'meeting_id', 'there is no meeting 1']);
    assert.deepEqual(registrations, []);
  });

  test('detects that a user has set a password in the meantime, and does not change their address', async () => {
    const moved = { ...user, email: 'moved@example.test' };
    const { steps, result } = await importWhile(moved, `UPDATE users SET password_hash = 'a hash'`);
    assert.deepEqual(steps, ['check', 'apply', 'check']);
    assert.ok(result instanceof DatasetError);
    assert.deepEqual([result.line, result.field], [1, 'email']);
  });

  test('checks again who a number belongs to if that has changed', async () => {
    const linked = 'INSERT INTO platform_numbers (user_id, platform_id) VALUES (100, 555)';
    const { steps } = await importWhile({ ...user, first_name: 'Same' }, linked);
    assert.deepEqual(steps, ['check', 'apply', 'check', 'apply']);
  });

  test('keeps the stored value of a field that the dataset leaves out', async () => {
    const { steps, stored } = await importWhile(
      { kind: 'organization', id: 1, name: 'Renamed' },
      `UPDATE organizations SET time_zone = 'Europe/Berlin'`,
    );
    assert.deepEqual(steps, ['check', 'apply']);
    assert.deepEqual(stored, [{ time_zone: 'Europe/Berlin' }]);
  });
});

describe('An import on PostgreSQL', () => {
  const at = new Date('2026-11-20T12:00:00.000Z');
  const { created_at: _, ...undated } = user;

  async function withDatabase(
    work: (given: {
      readonly database: Database;
      readonly load: (...records: readonly Fields[]) => Promise<unknown>;
      /** Resolves when this many transactions wait for a lock. */
      readonly waiting: (count: number) => Promise<void>;
    }) => Promise<void>,
  ): Promise<void> {
    const { database, stop } = await startEmptyPostgresDatabase();
    const load = (...records: readonly Fields[]) =>
      loadDataset({ database, source: Readable.from([Buffer.from(ndjson(...records))]), rules, at });
    const waiting = async (count: number): Promise<void> => {
      for (;;) {
        const [row] = await database.read.all<{ waiting: number }>(
          `SELECT count(*) AS waiting FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        if (Number(row?.waiting) >= count) return;
        await pause(5);
      }
    };
    try {
      await load(organization, { ...user, avatar: 'https://example.test/dana.png' }, meeting, membership);
      await work({ database, load, waiting });
    } finally {
      await stop();
    }
  }

  test('keeps what others change while it is stored, and an access key that they replace', () =>
    withDatabase(async ({ database, load, waiting }) => {
      const { organizations } = sqlPorts(database);
      let importing: Promise<unknown> = Promise.resolve();
      await database.write(async (sql) => {
        // The import stops here, after it has filled in what its records leave out.
        await sql.all('SELECT id FROM meetings WHERE id = 1 FOR UPDATE');
        importing = load(
          { kind: 'organization', id: 1, name: 'Renamed' },
          { kind: 'membership', organization_id: 1, user_id: 100, role: 'admin' },
          { kind: 'meeting', id: 1, deleted: true },
        );
        await waiting(1);
        await organizations.replaceAccessKey({ organizationId: 1, hash: 'hash of the new key', at });
        await organizations.setTimeZone({ organizationId: 1, timeZone: 'Europe/Berlin' });
        await database.write((other) => other.run(`UPDATE memberships SET idp_id = 'changed'`));
      });
      await importing;
      assert.equal(await organizations.byAccessKeyHash([`hash of ${organization.access_key}`]), null);
      const holder = await organizations.byAccessKeyHash(['hash of the new key']);
      assert.deepEqual([holder?.name, holder?.timeZone], ['Renamed', 'Europe/Berlin']);
      assert.deepEqual(await database.read.all('SELECT role, idp_id FROM memberships'), [
        { role: 'admin', idp_id: 'changed' },
      ]);
    }));

  test('does not change the address of a person with a password that changes while it is stored', () =>
    withDatabase(async ({ database, load, waiting }) => {
      await database.write((sql) => sql.run(`UPDATE users SET password_hash = 'a hash'`));
      let importing: Promise<unknown> = Promise.resolve();
      await database.write(async (sql) => {
        await sql.all('SELECT id FROM meetings WHERE id = 1 FOR UPDATE');
        importing = load(
          { ...undated, first_name: 'Renamed' },
          { kind: 'meeting', id: 1, deleted: true },
        ).catch((error: unknown) => error);
        await waiting(1);
        await database.write((other) => other.run(`UPDATE users SET email = 'moved@example.test'`));
      });
      const result = await importing;
      assert.ok(result instanceof DatasetError);
      assert.deepEqual([result.line, result.field], [1, 'email']);
      assert.deepEqual(await database.read.all('SELECT email, first_name FROM users'), [
        { email: 'moved@example.test', first_name: 'Dana' },
      ]);
    }));

  test('gives a new record nothing of one that was removed after the check', () =>
    withDatabase(async ({ database, load, waiting }) => {
      const { members, personalData } = sqlPorts(database);
      let importing: Promise<unknown> = Promise.resolve();
      let other: Promise<unknown> = Promise.resolve();
      await load({ ...user, id: 101, uuid: user.uuid.replace(/1$/, '2'), email: 'eve@example.test' });
      await load({ kind: 'membership', organization_id: 1, user_id: 101, role: 'member', idp_id: 'idp-1' });
      await database.write(async (sql) => {
        // What changes meetings waits here: first the erasure, then the import.
        await lockMeetings({ engine: 'postgres', ...sql });
        other = personalData.erase({ person: { email: 'dana@example.test' }, at, mayLeaveNoOwner: true });
        await waiting(1);
        importing = load(
          { ...undated, first_name: 'Somebody', last_name: 'Else' },
          { kind: 'membership', organization_id: 1, user_id: 101, role: 'admin' },
        );
        await waiting(2);
        await members.remove({ organizationId: 1, userId: 101, at });
      });
      await other;
      await importing;
      const users = await database.read.all<{ readonly created_at: string }>(
        'SELECT first_name, avatar, created_at FROM users WHERE id = 100',
      );
      assert.deepEqual(
        users.map(({ created_at, ...person }) => ({ ...person, at: new Date(created_at) })),
        [{ first_name: 'Somebody', avatar: null, at }],
      );
      assert.deepEqual(await database.read.all('SELECT user_id, role, idp_id FROM memberships'), [
        { user_id: 101, role: 'admin', idp_id: null },
      ]);
    }));
});
