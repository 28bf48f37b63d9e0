import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { Unavailable } from '@rollcall/core';
import type { Database, Sql } from '#adapters/sql/engine/database.js';
import { openDatabase } from '#adapters/sql/index.js';
import { SqliteDatabase } from '../../support/sqlite.js';

/** Longer than all writes of one group may take. */
const WRITE_MS = 6;

describe('Many simultaneous writes to an SQLite file', () => {
  test('let other work run in between, and run in order of arrival', async (t) => {
    const { database } = await open(t);
    const done: number[] = [];
    let turns = 0;
    let isCounting = true;
    const count = (): void => {
      turns += 1;
      if (isCounting) setImmediate(count);
    };
    setImmediate(count);
    const write = (number: number): Promise<void> =>
      database.write(async () => {
        block(WRITE_MS);
        done.push(number);
      });
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    await Promise.all(numbers.map(write));
    isCounting = false;
    assert.deepEqual(done, numbers);
    assert.ok(
      turns >= numbers.length - 2,
      `${turns} turns of the event loop during ${numbers.length} writes`,
    );
  });

  test('are committed together, and are stored when they are resolved', async (t) => {
    const { database, path, names } = await open(t);
    const before = commitsIn(path);
    const all = Array.from({ length: 8 }, (_, index) => `Room ${index}`);
    const other = new SqliteDatabase(path, { readonly: true });
    const stored = other.prepare('SELECT count(*) FROM rooms WHERE name = ?').pluck();
    await Promise.all(
      all.map(async (name) => {
        await add(database, name);
        assert.equal(stored.get(name), 1, `${name} was not stored when its write was resolved`);
      }),
    );
    other.close();
    assert.deepEqual(await names(), all);
    const commits = commitsIn(path) - before;
    assert.ok(commits <= 4, `${all.length} writes took ${commits} commits`);
  });

  test('of which one fails lose only that one', async (t) => {
    const { database, names } = await open(t);
    const failure = new Error('thrown by the work');
    const fail = (name: string): Promise<void> =>
      database.write(async (sql) => {
        await insert(sql, name);
        throw failure;
      });
    const twice = (name: string): Promise<void> =>
      database.write(async (sql) => {
        await insert(sql, name);
        await insert(sql, name);
      });
    const results = await Promise.allSettled([
      fail('first'),
      add(database, 'A'),
      fail('middle'),
      add(database, 'B'),
      twice('twice'),
      add(database, 'C'),
      fail('last'),
    ]);
    assert.deepEqual(
      results.map(({ status }) => status === 'fulfilled'),
      [false, true, false, true, false, true, false],
    );
    assert.equal((results[2] as PromiseRejectedResult).reason, failure);
    assert.deepEqual(await names(), ['A', 'B', 'C']);
  });

  test('are all refused if SQLite takes their common transaction back, and the next ones are stored', async (t) => {
    const { database, names } = await open(t);
    const together = () =>
      Promise.allSettled([
        add(database, 'A'),
        add(database, 'B'),
        database.write(async (sql) => {
          await sql.run('ROLLBACK');
        }),
      ]);
    let results = await together();
    // On a busy machine, the first one may be a group of its own, which is stored.
    for (let tries = 1; tries < 50 && (await names()).length > 0; tries += 1) {
      await database.write((sql) => sql.run('DELETE FROM rooms'));
      results = await together();
    }
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
    );
    for (const result of results.slice(0, 2))
      assert.ok((result as PromiseRejectedResult).reason instanceof Unavailable);
    await add(database, 'C');
    assert.deepEqual(await names(), ['C']);
  });

  test('wait for another program that writes, each as long as it may', async (t) => {
    const { database, path, names } = await open(t, 400);
    const other = new SqliteDatabase(path);
    other.exec('BEGIN IMMEDIATE');
    const first = add(database, 'first').catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 250));
    const second = add(database, 'second');
    assert.ok((await first) instanceof Unavailable, 'the first write was not refused in time');
    other.exec('COMMIT');
    await second;
    assert.deepEqual(await names(), ['second']);
    other.close();
  });

  test('run in the context of their callers', async (t) => {
    const { database } = await open(t);
    const context = new AsyncLocalStorage<string>();
    const seen = await Promise.all(
      ['one', 'two', 'three'].map((name) =>
        context.run(name, async () => {
          const inWork = await database.write(async () => context.getStore());
          return [inWork, context.getStore()];
        }),
      ),
    );
    assert.deepEqual(seen, [
      ['one', 'one'],
      ['two', 'two'],
      ['three', 'three'],
    ]);
  });

  test('that are waiting are counted, and end before the database closes', async (t) => {
    const { database, path, close } = await open(t);
    const writes = ['A', 'B', 'C'].map((name) => add(database, name));
    assert.equal(database.poolStates()[0]?.waiting, 3);
    await close();
    await Promise.all(writes);
    const closed = new SqliteDatabase(path, { readonly: true });
    assert.equal(closed.prepare('SELECT count(*) FROM rooms').pluck().get(), 3);
    closed.close();
  });
});

/** A database with an empty table of rooms, each of which has a name of its own. */
async function open(t: TestContext, timeoutMs = 5_000) {
  const directory = mkdtempSync(join(tmpdir(), 'rollcall-grouped-'));
  const path = join(directory, 'rollcall.db');
  const database = await openDatabase(`sqlite:${path}`, { timeoutMs });
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) await database.close();
    isOpen = false;
  };
  t.after(async () => {
    await close();
    rmSync(directory, { recursive: true, force: true });
  });
  await database.write((sql) => sql.run('CREATE TABLE rooms (name TEXT UNIQUE)'));
  const names = async (): Promise<readonly string[]> => {
    const rows = await database.read.all<{ readonly name: string }>('SELECT name FROM rooms ORDER BY rowid');
    return rows.map(({ name }) => name);
  };
  return { database, path, names, close };
}

async function add(database: Database, name: string): Promise<void> {
  await database.write((sql) => insert(sql, name));
}

async function insert(sql: Sql, name: string): Promise<void> {
  await sql.run('INSERT INTO rooms (name) VALUES (?)', [name]);
}

/** The number of commits in the write-ahead log: the last frame of each has the size of the database in pages. */
function commitsIn(path: string): number {
  const log = readFileSync(`${path}-wal`);
  const frameBytes = 24 + log.readUInt32BE(8);
  let commits = 0;
  for (let frame = 32; frame + frameBytes <= log.length; frame += frameBytes)
    if (log.readUInt32BE(frame + 4) > 0) commits += 1;
  return commits;
}

function block(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}
