import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { type Database, openDatabase } from '#adapters/sql/index.js';

const MEGABYTES = 80;
/** What SQLite keeps of the log by itself. */
const MAX_LOG_BYTES = 64 * 1024 * 1024;

interface Opened {
  readonly database: Database;
  readonly path: string;
  readonly logBytes: () => number;
}

async function open(t: TestContext, isLinked = false): Promise<Opened> {
  const directory = mkdtempSync(join(tmpdir(), 'rollcall-log-'));
  const path = join(directory, 'rollcall.db');
  const link = join(directory, 'link.db');
  const first = await openDatabase(`sqlite:${path}`);
  await first.write((sql) => sql.run('CREATE TABLE filler (bytes BLOB)'));
  await first.close();
  if (isLinked) symlinkSync(path, link);
  const database = await openDatabase(`sqlite:${isLinked ? link : path}`);
  t.after(async () => {
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return { database, path, logBytes: () => statSync(`${path}-wal`).size };
}

async function load(database: Database, megabytes = MEGABYTES): Promise<void> {
  await database.bulk((bulk) =>
    bulk.write(async () => {
      for (let count = 0; count < megabytes; count += 1)
        await bulk.run('INSERT INTO filler VALUES (zeroblob(1000000))');
    }),
  );
}

async function count(database: Database): Promise<number> {
  const row = await database.read.get<{ readonly count: number }>('SELECT count(*) AS count FROM filler');
  return row?.count ?? 0;
}

describe('The write-ahead log after a large load', () => {
  for (const isLinked of [false, true]) {
    test(`is empty, so that no later writer cuts its file${isLinked ? ', also through a link' : ''}`, async (t) => {
      const { database, logBytes } = await open(t, isLinked);
      await load(database);
      assert.equal(logBytes(), 0);
      assert.equal(await count(database), MEGABYTES);
    });
  }

  test('is empty after a load that was rolled back', async (t) => {
    const { database, logBytes } = await open(t);
    const failed = database.bulk((bulk) =>
      bulk.write(async () => {
        for (let rows = 0; rows < 2 * MEGABYTES; rows += 1)
          await bulk.run('INSERT INTO filler VALUES (zeroblob(1000000))');
        assert.ok(logBytes() > MAX_LOG_BYTES, `only ${logBytes()} bytes have spilled into the log`);
        throw new Error('given up');
      }),
    );
    await assert.rejects(failed, /given up/);
    assert.equal(logBytes(), 0);
    assert.equal(await count(database), 0);
  });

  test('stays while an export reads an earlier state, and the load is kept', async (t) => {
    const { database, logBytes } = await open(t);
    const snapshot = await database.snapshot();
    assert.deepEqual(await snapshot.all('SELECT 1 FROM filler'), []);
    await load(database);
    assert.ok(logBytes() > MAX_LOG_BYTES);
    assert.deepEqual(await snapshot.all('SELECT 1 FROM filler'), []);
    await snapshot.release();
    assert.equal(await count(database), MEGABYTES);
  });

  test('stays after a small load, because emptying it waits for the disk', async (t) => {
    const { database, logBytes } = await open(t);
    await load(database, 1);
    assert.ok(logBytes() > 0);
  });
});
