import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import type { Database, SqlValue } from '#adapters/sql/index.js';
import { startPostgresDatabase } from '../../support/postgres.js';
import type { RecordedStatements } from '../../support/record-statements.js';
import { SqliteDatabase } from '../../support/sqlite.js';
import { startSqliteDatabase } from '../../support/storage.js';

/**
 * While instances are replaced one by one, the previous release runs on the schema of this one, so its statements must
 * work there. `support/record-statements.ts` explains how to record the statements of a release.
 */
const recorded: RecordedStatements = JSON.parse(
  readFileSync(new URL('../../../fixtures/0.1.0/statements.json', import.meta.url), 'utf8'),
);

/** The number of the first organization and of the first user in a new database. */
const FIRST_NUMBER = 1_000_000_000_001;
const at = new Date('2026-11-20T18:00:00.000Z');

/** The tables, each after those that it refers to, and a value for each column that 0.1.0 fills. */
const tables = [
  'organizations',
  'users',
  'memberships',
  'invitations',
  'webhooks',
  'deliveries',
  'sessions',
  'login_links',
] as const;
const values: Readonly<Record<string, SqlValue>> = {
  name: 'Northwind',
  eap: false,
  id: '8f6f1c52-52d2-4f3b-9a8e-0e6a2b7f0002',
  uuid: '8f6f1c52-52d2-4f3b-9a8e-0e6a2b7f0001',
  user_uuid: '8f6f1c52-52d2-4f3b-9a8e-0e6a2b7f0003',
  event_id: '8f6f1c52-52d2-4f3b-9a8e-0e6a2b7f0004',
  organization_id: FIRST_NUMBER,
  user_id: FIRST_NUMBER,
  email: 'ada@example.test',
  first_name: 'Ada',
  last_name: 'Lovelace',
  password_hash: null,
  role: 'member',
  idp_id: 'idp-1',
  key_id: '00000000',
  url: 'https://example.test/hook',
  enabled: true,
  events: '["user.registered"]',
  sealed_secret: 'sealed',
  event_name: 'user.registered',
  body: '{}',
  hash: 'a hash',
  bound_to: null,
  opened_at: at,
  seen_at: at,
  created_at: at,
  updated_at: at,
  expires_at: at,
};

/** Stores one row in each table with the recorded statements of SQLite, whose values are marked with `?`. */
async function writes({ read, write }: Database): Promise<void> {
  for (const table of tables) {
    const insert = new RegExp(`^INSERT INTO ${table} \\(([^)]*)\\) VALUES \\([?, ]*\\)`);
    const text = recorded.sqlite.find((one) => insert.test(one)) ?? '';
    const columns = insert.exec(text)?.[1]?.split(', ') ?? [];
    assert.deepEqual(
      columns.filter((column) => !(column in values)),
      [],
      text,
    );
    await write((sql) =>
      sql.run(
        text,
        columns.map((column) => values[column] ?? null),
      ),
    );
    assert.deepEqual(await read.get(`SELECT count(*) AS count FROM ${table}`), { count: 1 }, text);
  }
}

describe('Release 0.1.0 on the schema of this release', () => {
  describe('over PostgreSQL', () => {
    let started: Awaited<ReturnType<typeof startPostgresDatabase>>;
    let client: pg.Client;
    before(async () => {
      started = await startPostgresDatabase();
      client = new pg.Client({ connectionString: started.url, query_timeout: 30_000 });
      await client.connect();
    });
    after(async () => {
      await client.end();
      await started.stop();
    });

    test('finds every table and column that its statements use', async () => {
      const problems: string[] = [];
      for (const text of recorded.postgres) {
        await client.query(`PREPARE recorded AS ${text}`).then(
          () => client.query('DEALLOCATE recorded'),
          (error: unknown) => problems.push(`${error}: ${text}`),
        );
      }
      assert.ok(recorded.postgres.length > 50);
      assert.deepEqual(problems, []);
    });

    test('can store rows without the new columns', () => writes(started.database));
  });

  describe('over SQLite', () => {
    let started: Awaited<ReturnType<typeof startSqliteDatabase>>;
    before(async () => {
      started = await startSqliteDatabase();
    });
    after(() => started.stop());

    test('finds every table and column that its statements use', () => {
      const file = new SqliteDatabase(started.file, { readonly: true });
      const problems: string[] = [];
      for (const text of recorded.sqlite) {
        try {
          file.prepare(text);
        } catch (error) {
          problems.push(`${error}: ${text}`);
        }
      }
      file.close();
      assert.ok(recorded.sqlite.length > 50);
      assert.deepEqual(problems, []);
    });

    test('can store rows without the new columns', () => writes(started.database));
  });
});
