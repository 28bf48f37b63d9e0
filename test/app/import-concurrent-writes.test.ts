import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { DatasetError } from '#adapters/sql/maintenance/index.js';
import { loadDataset } from '#app/dataset/load-dataset.js';
import {
  type Fields,
  meeting,
  ndjson,
  organization,
  registration,
  rules,
  user,
} from '../support/import-records.js';
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
    const numbers = 'INSERT INTO platform_numbers (user_id) VALUES (100)';
    const same = await importWhile({ ...user, first_name: 'Same' }, numbers);
    assert.deepEqual(same.steps, ['check', 'apply', 'check', 'apply']);
    const { steps, result } = await importWhile(registration, numbers);
    assert.deepEqual(steps, ['check', 'apply', 'check']);
    assert.ok(result instanceof DatasetError);
    assert.deepEqual([result.field, result.message], ['user_id', 'there is no user 100']);
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
