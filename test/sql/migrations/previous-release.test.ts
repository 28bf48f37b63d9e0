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
 * While instances are replaced one after the other, the release before this one runs on the schema of this one: what
 * it asks has to work there. `support/record-statements.ts` says how a release's statements are written down.
 */
const recorded: RecordedStatements = JSON.parse(
  readFileSync(new URL('../../../fixtures/statements-0.1.0.json', import.meta.url), 'utf8'),
);

/** What a new database gives to the first organization and to the first user. */
const FIRST_NUMBER = 1_000_000_000_001;
const at = new Date('2026-11-20T18:00:00.000Z');

/** Tables in the order in which their rows refer to each other, and a value for each column that 0.1.0 fills. */
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

/** Runs what 0.1.0 ran to store one row of each table; the texts of SQLite's list have their values at `?`. */
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

describe('Release 0.1.0 on the schema of this one', () => {
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

    test('finds everything that its statements name', async () => {
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

    test('writes all that a registration needs without the columns that are new', () =>
      writes(started.database));
  });

  describe('over SQLite', () => {
    let started: Awaited<ReturnType<typeof startSqliteDatabase>>;
    before(async () => {
      started = await startSqliteDatabase();
    });
    after(() => started.stop());

    test('finds everything that its statements name', () => {
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

    test('writes all that a registration needs without the columns that are new', () =>
      writes(started.database));
  });
});
