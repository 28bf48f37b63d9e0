import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDatabase } from '#adapters/sql/index.js';

test('an analyzed SQLite database plans a statement without the values of its parameters', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'rollcall-plans-'));
  const database = await openDatabase(`sqlite:${join(directory, 'rollcall.db')}`);
  t.after(async () => {
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  });
  await database.write(async (sql) => {
    await sql.run('CREATE TABLE rooms (id INTEGER PRIMARY KEY, floor INTEGER, name TEXT)');
    await sql.run(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 5000)
      INSERT INTO rooms SELECT n, iif(n > 20, 0, n), 'Room ' || n FROM numbers`,
    );
    await sql.run('CREATE INDEX rooms_by_floor ON rooms (floor)');
    await sql.run('ANALYZE');
  });
  const plan = async (floor: string): Promise<string> => {
    const text = `EXPLAIN QUERY PLAN SELECT name FROM rooms WHERE floor = ${floor}`;
    const steps = await database.read.all<{ readonly detail: string }>(text, floor === '?' ? [0] : []);
    return steps.map(({ detail }) => detail).join();
  };
  // The statistics say that nearly every room is on floor 0: known to be 0, it would be found by reading all of them.
  assert.equal(await plan('0'), 'SCAN rooms');
  assert.equal(await plan('?'), 'SEARCH rooms USING INDEX rooms_by_floor (floor=?)');
});
