import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Database, openDatabase } from '#adapters/sql/index.js';
import { importDataset } from '#adapters/sql/maintenance/import.js';
import { DatasetError, type DatasetItem } from '#adapters/sql/maintenance/index.js';
import { migrationNames } from '#adapters/sql/migrations/index.js';
import { copiedWith } from '../../support/copied-rows.js';
import { startPostgresUrl } from '../../support/postgres.js';
import { startTransactionPooler, type TransactionPooler } from '../../support/transaction-pooler.js';

const northwind: DatasetItem = { line: 1, record: { kind: 'organization', id: 7, name: 'Northwind' } };
const person: DatasetItem = {
  line: 2,
  record: {
    kind: 'user',
    id: 1,
    uuid: '8f6f1c52-52d2-4f3b-9a8e-0e6a2b7f0001',
    email: 'dana@example.test',
    first_name: 'Dana',
    last_name: 'Kim',
    created_at: '2026-01-05T09:00:00.000Z',
  },
};
const at = new Date('2026-01-01T00:00:00.000Z');

async function* dataset(...items: readonly DatasetItem[]): AsyncGenerator<readonly DatasetItem[]> {
  yield items;
}

describe('PostgreSQL behind a pooler in transaction mode', () => {
  let empty: Awaited<ReturnType<typeof startPostgresUrl>>;
  let pooler: TransactionPooler;
  let database: Database;
  before(async () => {
    empty = await startPostgresUrl({ migrated: false });
    const direct = await openDatabase(empty.url);
    const name = new URL(empty.url).pathname.slice(1);
    for (const setting of [`TimeZone = 'Asia/Kolkata'`, `DateStyle = 'German'`])
      await direct.write((sql) => sql.run(`ALTER DATABASE ${name} SET ${setting}`));
    await direct.close();
    pooler = await startTransactionPooler(empty.url);
    database = await openDatabase(pooler.url);
  });
  after(async () => {
    await database?.close();
    await pooler?.stop();
    await empty?.stop();
  });

  test('two statements can use two connections, but a transaction uses one', async () => {
    const pid = 'SELECT pg_backend_pid() AS pid';
    assert.notDeepEqual(await database.read.get(pid), await database.read.get(pid));
    await database.write(async (sql) => assert.deepEqual(await sql.get(pid), await sql.get(pid)));
  });

  test('several processes that migrate at once run each migration once', async () => {
    const others = await Promise.all([openDatabase(pooler.url), openDatabase(pooler.url)]);
    const applied = await Promise.all([database, ...others].map((one) => one.migrate()));
    assert.deepEqual(applied.flat(), migrationNames);
    assert.deepEqual(await database.pendingMigrations(), []);
    await Promise.all(others.map((one) => one.close()));
  });

  test('imports repeatedly, even after a failed import, and leaves nothing behind on a connection', async () => {
    const load = (...items: readonly DatasetItem[]) => importDataset(database, dataset(...items), { at });
    const stranger: DatasetItem = {
      line: 3,
      record: { kind: 'membership', organization_id: 8, user_id: 1, role: 'owner' },
    };
    for (let again = 0; again < 4; again += 1) {
      assert.deepEqual((await load(northwind, person)).counts.user, { stored: 1, removed: 0 });
      await assert.rejects(load(northwind, person, stranger), DatasetError);
    }
    assert.deepEqual(await database.read.all('SELECT id FROM organizations'), [{ id: 7 }]);
    for (let connection = 0; connection < 3; connection += 1) {
      assert.deepEqual(
        await database.read.get(
          `SELECT (SELECT count(*) FROM pg_prepared_statements) AS prepared,
            (SELECT count(*) FROM pg_class WHERE relpersistence = 't' AND relkind = 'r') AS temporary,
            (SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
              WHERE locktype = 'advisory' AND datname = current_database()) AS locks`,
        ),
        { prepared: 0, temporary: 0, locks: 0 },
      );
    }
  });

  test('a violated constraint in one part of an import is reported at the end of that part, and the import continues', async () => {
    const stored = await database.bulk(async (bulk) => {
      const broken = bulk.write(async () => {
        await bulk.run('SET CONSTRAINTS ALL DEFERRED');
        await bulk.run(`INSERT INTO organizations (id, name, eap) VALUES (20, 'Lost', false)`);
        await bulk.run(
          `INSERT INTO memberships (organization_id, user_id, uuid, role, created_at)
          VALUES (99, 1, gen_random_uuid(), 'member', now())`,
        );
      });
      await assert.rejects(broken, { code: '23503' });
      await bulk.write(() =>
        bulk.run(`INSERT INTO organizations (id, name, eap) VALUES (21, 'Kept', false)`),
      );
      return bulk.all('SELECT id FROM organizations WHERE id >= 20');
    });
    assert.deepEqual(stored, [{ id: 21 }]);
    assert.deepEqual(await database.read.all('SELECT id FROM organizations WHERE id >= 20'), [{ id: 21 }]);
  });

  test('times and limits do not depend on the settings of the server', async () => {
    const query = `SELECT TIMESTAMPTZ '2026-11-20T18:00:00.12Z' AS at, current_setting('statement_timeout') AS limit`;
    const at = '2026-11-20T18:00:00.120Z';
    const snapshot = await database.snapshot();
    assert.deepEqual(await database.read.get(query), { at, limit: '5s' });
    assert.deepEqual(await database.write((sql) => sql.get(query)), { at, limit: '5s' });
    assert.deepEqual(await snapshot.get(query), { at, limit: '1min' });
    await snapshot.release();
  });

  test('copied rows come from one connection, and its settings are reset afterwards', async () => {
    const rows = `SELECT TIMESTAMPTZ '2026-11-20T18:00:00.12Z', current_setting('statement_timeout'), n
      FROM generate_series(1, 2) AS n WHERE n < ?`;
    let text = '';
    for await (const chunk of (await database.snapshot()).copy?.(rows, [2], copiedWith(';')) ?? [])
      text += Buffer.from(chunk).toString();
    assert.equal(text, '2026-11-20 18:00:00.12+00\t65min\t1;');
    const settings = `SELECT current_setting('enable_sort') AS sorts, current_setting('statement_timeout') AS limit`;
    for (let connection = 0; connection < 3; connection += 1)
      assert.deepEqual(await database.read.get(settings), { sorts: 'on', limit: '5s' });
  });

  test('an import cannot know that it is alone', async () => {
    assert.equal(await database.bulk((bulk) => bulk.isAlone()), false);
  });

  test('a snapshot sees one state while others write', async () => {
    const snapshot = await database.snapshot();
    const names = 'SELECT name FROM organizations WHERE id = 7';
    assert.deepEqual(await snapshot.all(names), [{ name: 'Northwind' }]);
    await database.write((sql) => sql.run(`UPDATE organizations SET name = 'Southwind' WHERE id = 7`));
    assert.deepEqual(await snapshot.all(names), [{ name: 'Northwind' }]);
    await snapshot.release();
    assert.deepEqual(await database.read.all(names), [{ name: 'Southwind' }]);
  });
});
