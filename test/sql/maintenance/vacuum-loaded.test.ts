import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { testUuid } from '@rollcall/core/testing';
import { type Database, openDatabase } from '#adapters/sql/index.js';
import { type DatasetRecord, importDataset } from '#adapters/sql/maintenance/index.js';
import { startPostgresDatabase } from '../../support/postgres.js';
import { startTransactionPooler } from '../../support/transaction-pooler.js';

const at = new Date('2026-11-20T12:00:00.000Z');
const MEETINGS = 1_500;
const tables = [
  'complete_meeting_counts',
  'meetings',
  'memberships',
  'organizations',
  'registrations',
  'users',
];

function meeting(id: number, name = `Circle ${id}`): DatasetRecord {
  return {
    ...{ kind: 'meeting', id, organization_id: 1, name, meeting_type: 'Group', duration: 60 },
    ...{ start_time: at.toISOString(), end_time: at.toISOString(), status: 'complete', location: 'zoom' },
  };
}

const names = { first_name: 'Dana', last_name: 'Kim' };
const firstLoad: readonly DatasetRecord[] = [
  { kind: 'organization', id: 1, name: 'Northwind' },
  { kind: 'user', id: 1, uuid: testUuid(1), email: 'dana@example.test', ...names },
  { kind: 'membership', organization_id: 1, user_id: 1, role: 'member' },
  ...Array.from({ length: MEETINGS }, (_, index) => meeting(index + 1)),
  ...Array.from(
    { length: MEETINGS },
    (_, index) => ({ kind: 'registration', meeting_id: index + 1, user_id: 1 }) as const,
  ),
];

/** Imports the records, and returns whether the import vacuumed. */
async function vacuums(
  database: Database,
  records: readonly DatasetRecord[],
  { isDryRun = false }: { readonly isDryRun?: boolean } = {},
): Promise<boolean> {
  const steps: string[] = [];
  async function* source() {
    yield records.map((record, index) => ({ line: index + 1, record }));
  }
  await importDataset(database, source(), { at, isDryRun, onStep: (step) => steps.push(step) });
  return steps.includes('vacuum');
}

/** The tables with statistics. */
async function analyzed({ read }: Database): Promise<readonly string[]> {
  const rows = await read.all<{ tablename: string }>(
    `SELECT DISTINCT tablename FROM pg_stats WHERE schemaname = current_schema() ORDER BY tablename`,
  );
  return rows.map(({ tablename }) => tablename).filter((name) => tables.includes(name));
}

/** The share of pages that index-only scans can skip, of the table that has the smallest. */
async function visibleShare({ read }: Database): Promise<number> {
  const row = await read.get<{ share: number }>(
    `SELECT min(relallvisible::float8 / greatest(relpages, 1)) AS share FROM pg_class
    WHERE oid IN ('meetings'::regclass, 'registrations'::regclass)`,
  );
  return row?.share ?? 0;
}

describe('the tables after an import into PostgreSQL', () => {
  let started: Awaited<ReturnType<typeof startPostgresDatabase>>;
  let database: Database;
  beforeEach(async () => {
    started = await startPostgresDatabase();
    // The test server commits asynchronously, and VACUUM skips rows whose commit is not yet on disk. Only new connections
    // have the setting.
    const name = new URL(started.url).pathname.slice(1);
    await started.database.write((sql) => sql.run(`ALTER DATABASE ${name} SET synchronous_commit = on`));
    database = await openDatabase(started.url);
  });
  afterEach(async () => {
    await database.close();
    await started.stop();
  });

  test('a first load leaves them vacuumed, with statistics', async () => {
    assert.equal(await vacuums(database, firstLoad), true);
    assert.deepEqual(await analyzed(database), tables);
    const share = await visibleShare(database);
    assert.ok(share > 0.8, `${share} of the pages are visible to all`);
  });

  test('a table that has doubled is vacuumed again', async () => {
    await vacuums(database, firstLoad);
    const more = Array.from({ length: MEETINGS }, (_, index) => meeting(MEETINGS + index + 1));
    // How many pages become visible depends on what else is open; the first load has shown it.
    assert.equal(await vacuums(database, more), true);
  });

  test('neither a small import, nor one that changes nothing, nor a dry run vacuums', async () => {
    assert.equal(await vacuums(database, firstLoad, { isDryRun: true }), false);
    assert.equal(await vacuums(database, firstLoad.slice(0, 100)), false);
    assert.equal(await vacuums(database, firstLoad), true);
    // What else is open on the server can keep pages from becoming visible to all at the first vacuum.
    for (let again = 0; again < 50 && (await visibleShare(database)) <= 0.8; again += 1)
      await database.bulk((bulk) => bulk.run(`VACUUM ${tables.join(', ')}`));
    assert.equal(await vacuums(database, firstLoad), false);
    assert.equal(await vacuums(database, [meeting(1, 'Another name')]), false);
  });

  test('through a pooler, they only get statistics', async () => {
    const pooler = await startTransactionPooler(started.url);
    const pooled = await openDatabase(pooler.url);
    try {
      await vacuums(pooled, firstLoad);
      assert.deepEqual(await analyzed(database), tables);
    } finally {
      await pooled.close();
      await pooler.stop();
    }
  });
});
