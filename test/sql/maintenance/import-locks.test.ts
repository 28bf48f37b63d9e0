import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { testUuid } from '@rollcall/core/testing';
import pg from 'pg';
import { importDataset } from '#adapters/sql/maintenance/import.js';
import type { DatasetItem } from '#adapters/sql/maintenance/index.js';
import { startPostgresDatabase } from '../../support/postgres.js';
import { slowness } from '../../support/slowness.js';

const at = new Date('2026-11-20T12:00:00.000Z');
const start = '2026-11-21T18:00:00.000Z';
const end = '2026-11-21T19:00:00.000Z';
const PEOPLE = 50;

/** An organization, two meetings, and people who are registered for the first meeting. */
function dataset({
  name,
  registered,
}: {
  readonly name: string;
  readonly registered: Date;
}): readonly DatasetItem[] {
  const records: readonly DatasetItem['record'][] = [
    { kind: 'organization', id: 1, name },
    { kind: 'organization', id: 2, name: 'Another' },
    ...[1, 2].map((id) => meeting(id)),
    ...Array.from({ length: PEOPLE }, (_, index) => person(index + 1)),
    ...Array.from(
      { length: PEOPLE },
      (_, index) =>
        ({
          kind: 'registration',
          meeting_id: 1,
          user_id: index + 1,
          registered_at: registered.toISOString(),
        }) as const,
    ),
  ];
  return records.map((record, index) => ({ line: index + 1, record }));
}

function person(id: number): DatasetItem['record'] {
  const names = { first_name: 'Dana', last_name: 'Kim' };
  return {
    kind: 'user',
    id,
    uuid: testUuid(id),
    email: `dana-${id}@example.test`,
    ...names,
    created_at: start,
  };
}

function meeting(id: number): DatasetItem['record'] {
  return {
    ...({ kind: 'meeting', id, organization_id: 1, name: 'Circle', meeting_type: 'Group' } as const),
    ...{ start_time: start, end_time: end, duration: 60, status: 'scheduled', location: 'zoom' },
  };
}

/**
 * The lock modes, on tables of this database, of the sessions that wait for this one. `pg_locks` covers the whole
 * server. The databases of other tests must be left out: they come from the same template, so their tables have the
 * same OIDs.
 */
const locksOfWaiting = `SELECT DISTINCT mode FROM pg_locks
  JOIN pg_database ON pg_database.oid = database AND datname = current_database()
  JOIN pg_class ON pg_class.oid = relation
  WHERE locktype = 'relation' AND relkind = 'r' AND relpersistence = 'p' AND relnamespace = 'public'::regnamespace
    AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`;

async function* batches(items: readonly DatasetItem[]): AsyncGenerator<readonly DatasetItem[]> {
  yield items;
}

describe('An import into a PostgreSQL database in use', { timeout: 240_000 }, () => {
  let started: Awaited<ReturnType<typeof startPostgresDatabase>>;
  let clients: pg.Client[];
  beforeEach(async () => {
    started = await startPostgresDatabase();
    clients = [];
    await load({ name: 'Northwind', registered: at });
  });
  afterEach(async () => {
    for (const client of clients) await client.end().catch(() => undefined);
    await started.stop();
  });

  const load = (changed: Parameters<typeof dataset>[0]) =>
    importDataset(started.database, batches(dataset(changed)), { at });
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: started.url, query_timeout: 30_000 });
    client.on('error', () => undefined);
    await client.connect();
    clients.push(client);
    return client;
  };
  const later = new Date(at.getTime() + 1);

  test('neither waits for a vacuum nor cancels it', async () => {
    const vacuum = await connect();
    await vacuum.query(
      'BEGIN; LOCK TABLE registrations, waitlist_entries, meetings IN SHARE UPDATE EXCLUSIVE MODE',
    );
    const loading = load({ name: 'Southwind', registered: later });
    // If the import waited for the vacuum, it would not end before the COMMIT.
    const first = await Promise.race([loading.then(() => 'import'), pause(20_000, 'vacuum')]);
    await vacuum.query('COMMIT');
    await loading;
    assert.equal(first, 'import');
  });

  test('does not wait for readers, and delays no writer by more than 500 ms', async () => {
    const [reader, writer] = [await connect(), await connect()];
    await reader.query(
      'BEGIN; SELECT 1 FROM organizations, users, meetings, registrations, waitlist_entries',
    );
    // A lock request that waits for the reader would make later writes wait behind it, and they would fail.
    await writer.query("SET lock_timeout = '500ms'");
    const loading = load({ name: 'Southwind', registered: later });
    const imported = loading.then(() => true);
    let writes = 0;
    for (const end = performance.now() + 20_000; performance.now() < end; writes += 1) {
      await writer.query(
        `INSERT INTO registrations (meeting_id, user_id, registered_at, end_time)
        VALUES (2, ${(writes % PEOPLE) + 1}, now(), now()) ON CONFLICT DO NOTHING`,
      );
      if (await Promise.race([imported, pause(10, false)])) break;
    }
    const { rows } = await writer.query('SELECT name FROM organizations WHERE id = 1');
    await reader.query('COMMIT');
    await loading;
    assert.deepEqual(rows, [{ name: 'Southwind' }]);
    assert.ok(writes > 0);
  });

  test('takes no table lock that conflicts with a vacuum or a reader', async () => {
    const watcher = await connect();
    // While it stores registrations, the import waits for this row and holds its other locks.
    await watcher.query('BEGIN; SELECT 1 FROM registrations WHERE user_id = 50 FOR UPDATE');
    const loading = load({ name: 'Southwind', registered: later });
    let modes: readonly string[] = [];
    for (const end = performance.now() + 30_000; modes.length === 0 && performance.now() < end; ) {
      const { rows } = await watcher.query<{ readonly mode: string }>(locksOfWaiting);
      modes = rows.map(({ mode }) => mode);
      await pause(10);
    }
    await watcher.query('COMMIT');
    await loading;
    assert.ok(modes.includes('RowExclusiveLock'), `the import never waited: ${modes.join()}`);
    const others = ['AccessShareLock', 'RowShareLock', 'RowExclusiveLock'];
    assert.deepEqual(
      modes.filter((mode) => !others.includes(mode)),
      [],
    );
  });

  test('releases its locked rows while it waits for rows that another session has locked', async () => {
    const [holder, writer] = [await connect(), await connect()];
    await holder.query('BEGIN; SELECT 1 FROM registrations WHERE user_id = 50 FOR UPDATE');
    const loading = load({ name: 'Southwind', registered: later });
    let isFinished = false;
    let maxWaitMs = 0;
    let updates = 0;
    const writing = (async () => {
      while (!isFinished) {
        const startedAt = performance.now();
        await writer.query('UPDATE organizations SET time_zone = $1 WHERE id = 1', [`Zone ${updates}`]);
        maxWaitMs = Math.max(maxWaitMs, performance.now() - startedAt);
        updates += 1;
        await pause(5);
      }
    })();
    await pause(4_000);
    await holder.query('COMMIT');
    await loading;
    isFinished = true;
    await writing;
    assert.ok(maxWaitMs < 1_500 * slowness(), `a write waited ${Math.round(maxWaitMs)} ms`);
    const { rows } = await writer.query('SELECT name FROM organizations WHERE id = 1');
    assert.deepEqual(rows, [{ name: 'Southwind' }]);
    const { rows: times } = await writer.query('SELECT DISTINCT registered_at FROM registrations');
    assert.deepEqual(times, [{ registered_at: later }]);
  });

  test('stores the end times of meetings, and leaves the triggers enabled that correct them', async () => {
    await load({ name: 'Southwind', registered: later });
    const client = await connect();
    const { rows } = await client.query('SELECT DISTINCT end_time FROM registrations');
    assert.deepEqual(rows, [{ end_time: new Date(end) }]);
    await client.query(
      `INSERT INTO registrations (meeting_id, user_id, registered_at, end_time) VALUES (2, 1, now(), now())`,
    );
    const { rows: stored } = await client.query('SELECT end_time FROM registrations WHERE meeting_id = 2');
    assert.deepEqual(stored, [{ end_time: new Date(end) }]);
    const { rows: disabled } = await client.query(
      `SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'O'`,
    );
    assert.deepEqual(disabled, []);
  });
});
