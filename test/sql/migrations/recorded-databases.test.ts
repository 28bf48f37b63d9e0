import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Secret } from '@rollcall/core';
import pg from 'pg';
import { createKeyring } from '#adapters/node/crypto/keyring.js';
import { argon2Passwords } from '#adapters/node/crypto/passwords.js';
import { keyedSecrets } from '#adapters/node/crypto/secrets.js';
import { jwtTokens } from '#adapters/node/crypto/tokens.js';
import { type Database, openDatabase, type SqlValue } from '#adapters/sql/index.js';
import { migrationNames } from '#adapters/sql/migrations/index.js';
import { startPostgresDatabase } from '../../support/postgres.js';
import type { RecordedStatements } from '../../support/record-statements.js';
import { recordedFile, recordedSecrets, releases, startRecorded } from '../../support/recorded-release.js';
import { catalogOf } from '../../support/served-migration.js';
import { startSqliteDatabase } from '../../support/storage.js';
import { startTestService } from '../../support/test-service.js';
import { copiedTables, dump } from '../../support/transfer.js';

type Row = Readonly<Record<string, SqlValue>>;

/** Only the columns that the recorded row has: migrations add others. */
function oldColumns(row: Row, recorded: Row | undefined): Row {
  return Object.fromEntries(Object.keys(recorded ?? {}).map((column) => [column, row[column] ?? null]));
}

async function tablesAndIndexes({ read }: Database): Promise<readonly unknown[]> {
  const parts = await read.all<{ readonly name: string; readonly sql: string }>(
    'SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name',
  );
  // Some migrations write the current time as the default of a new column.
  return parts.map(({ name, sql }) => [name, sql.replace(/DEFAULT '[-\d]+T[:.\d]+Z'/, 'DEFAULT now')]);
}

/** Reads over other connections: one that has read all columns of a table cannot do so again after it has got more. */
async function rowsOf(url: string, tables: readonly string[]): ReturnType<typeof dump> {
  const database = await openDatabase(url);
  try {
    return await dump(database, tables);
  } finally {
    await database.close();
  }
}

async function assertServes(database: Database): Promise<void> {
  const { secretKey, accessKey, password } = recordedSecrets;
  const keyring = createKeyring({ secretKey });
  const [secrets, passwords] = [keyedSecrets(keyring), argon2Passwords()];
  const { core, ports } = await startTestService({
    database,
    ports: { secrets, passwords, tokens: jwtTokens(keyring) },
  });
  await core.authenticate({ accessKey, address: '192.0.2.1' });
  const { meetings } = await core.listUpcomingMeetings({ organization: { id: 1 }, idpId: 'idp-1' });
  assert.deepEqual(
    meetings.map(({ name }) => name),
    ['Grief circle'],
  );
  const webhook = await ports.webhooks.of(1);
  const secret = secrets.decrypt({ encrypted: webhook?.encryptedSecret ?? '', organizationId: 1 });
  assert.match(secret.reveal(), /^whsec_/);
  const hash = await ports.users.passwordHash(100);
  assert.equal(await passwords.verify({ hash: async () => hash, password: new Secret(password) }), true);
  const { invitations } = await ports.invitations.list({ organizationId: 1, offset: 0, limit: 9 });
  assert.deepEqual(invitations.map(({ email }) => email).sort(), ['ada@example.test', 'zoe@example.test']);
}

for (const release of releases) {
  describe(`A database of release ${release}`, () => {
    for (const [engine, start] of Object.entries(startRecorded)) {
      test(`is migrated over ${engine} without a change to any row, and is served`, async () => {
        const { database, url, stop } = await start(release);
        try {
          const tables = await copiedTables(database);
          const before = await rowsOf(url, tables);
          assert.deepEqual(
            tables.filter((table) => before[table]?.length === 0),
            [],
            'tables without rows',
          );
          const pending = await database.pendingMigrations();
          assert.deepEqual(pending, migrationNames.slice(-pending.length));
          assert.deepEqual(await database.migrate(), pending);
          const after = await rowsOf(url, tables);
          for (const table of tables) {
            const [recorded = [], migrated = []] = [before[table], after[table]];
            assert.deepEqual(
              sorted(migrated.map((row) => oldColumns(row, recorded[0]))),
              sorted(recorded),
              table,
            );
          }
          await assertServes(database);
        } finally {
          await stop();
        }
      });
    }

    test('has the schema of a new SQLite database after the migration', async () => {
      const [recorded, fresh] = await Promise.all([startRecorded.sqlite(release), startSqliteDatabase()]);
      try {
        await recorded.database.migrate();
        assert.deepEqual(await tablesAndIndexes(recorded.database), await tablesAndIndexes(fresh.database));
      } finally {
        await recorded.stop();
        await fresh.stop();
      }
    });

    test('has the schema of a new PostgreSQL database after the migration', async () => {
      const [recorded, fresh] = await Promise.all([startRecorded.postgres(release), startPostgresDatabase()]);
      try {
        await recorded.database.migrate();
        assert.deepEqual(await catalogOf(recorded.url), await catalogOf(fresh.url));
      } finally {
        await recorded.stop();
        await fresh.stop();
      }
    });

    test('lets instances of that release continue on PostgreSQL, before and after the migration', async () => {
      const { postgres: texts } = JSON.parse(recordedFile(release, 'statements.json')) as RecordedStatements;
      const { database, url, stop } = await startRecorded.postgres(release);
      const client = new pg.Client({ connectionString: url, query_timeout: 30_000 });
      await client.connect();
      try {
        // Prepared once, like in the connections of an instance that is running during the migration.
        for (const [index, text] of texts.entries()) await client.query(`PREPARE before_${index} AS ${text}`);
        await database.migrate();
        const problems: string[] = [];
        for (const [index, text] of texts.entries()) {
          await client.query(`EXPLAIN ${executionOf(index, text)}`).catch((error: unknown) => {
            problems.push(`${error}: ${text}`);
          });
        }
        assert.ok(texts.length > 50);
        assert.deepEqual(problems, []);
      } finally {
        await client.end();
        await stop();
      }
    });
  });
}

/** Without values: PostgreSQL plans the prepared statement for the new schema, and runs nothing. */
function executionOf(index: number, text: string): string {
  const count = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
  return `EXECUTE before_${index}${count === 0 ? '' : `(${Array(count).fill('NULL').join(', ')})`}`;
}

function sorted(rows: readonly Row[]): readonly Row[] {
  return [...rows].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
