import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '@rollcall/core';
import { withDeadline, withinBudget } from '#adapters/sql/engine/deadline.js';
import {
  isDatabaseSlow,
  openDatabase,
  startWithoutDeadline,
  withSharedDeadline,
} from '#adapters/sql/index.js';
import { startPostgresUrl } from '../../support/postgres.js';
import { slowness } from '../../support/slowness.js';

const left = (timeoutMs: number) => withDeadline(timeoutMs, async (deadline) => deadline - performance.now());

describe('One deadline for all steps of a request', () => {
  test('is shared while a caller waits long for the database, and for ten seconds afterwards', async () => {
    assert.equal(isDatabaseSlow(), false);
    await withDeadline(5000, () => pause(20));
    assert.equal(isDatabaseSlow(), false, 'short waits do not count');
    await withinBudget(5000, () => pause(300));
    assert.equal(isDatabaseSlow(), false, 'waiting for something else does not count');
    const wait = withDeadline(5000, () => pause(400));
    assert.equal(isDatabaseSlow(), false);
    await pause(300);
    assert.equal(isDatabaseSlow(), true, 'while the caller waits');
    await wait;
    assert.equal(isDatabaseSlow(performance.now() + 9_000), true);
    await withSharedDeadline(1000, async () => {
      assert.ok((await left(5000)) <= 1000);
      assert.equal(isDatabaseSlow(performance.now() + 11_000), false);
      assert.ok((await left(5000)) > 4900, 'the deadline is no longer shared');
    });
    assert.ok((await withSharedDeadline(1000, () => left(5000))) <= 1000, 'the deadline can be shared again');
  });

  test('is used up by waiting for the database or for a turn, and by nothing else', async () => {
    await withSharedDeadline(1000, async () => {
      assert.ok((await left(5000)) > 900);
      await pause(200);
      assert.ok((await left(5000)) > 900, 'other waiting does not count');
      await withDeadline(5000, () => pause(300));
      const rest = await left(5000);
      assert.ok(rest > 500 && rest < 750, `${rest} ms are left`);
      await withinBudget(5000, () => pause(200));
      const less = await left(5000);
      assert.ok(less > 300 && less < 550, `${less} ms are left after waiting for a turn`);
      assert.ok((await left(100)) <= 100, 'a shorter timeout of one step still holds');
    });
    const outside = await left(5000);
    assert.ok(outside > 800, `${outside} ms are left outside the shared deadline`);
  });

  test('also applies to requests that were under way when the database became slow, with 0.15 s for each further step', async () => {
    assert.equal(isDatabaseSlow(performance.now() + 20_000), false);
    const end = startWithoutDeadline();
    assert.ok((await left(1500)) > 1400, 'the database is not slow');
    await withDeadline(1500, () => pause(600));
    const rest = await left(1500);
    assert.ok(rest > 800 && rest < 1250, `${rest} ms are left 350 ms after the slow period began`);
    await pause(1050);
    const least = await left(1500);
    assert.ok(least > 100 && least <= 150, `${least} ms are left, the minimum`);
    end();
    assert.ok((await left(1500)) > 1400, 'all of these requests have ended');
    startWithoutDeadline();
    await pause(1700);
    assert.ok((await left(1500)) > 1400, 'a later caller is not part of such a request');
    assert.equal(isDatabaseSlow(performance.now() + 20_000), false);
    assert.ok((await left(1500)) > 1400, 'the slow period has ended');
  });

  test('applies to connections and statements of PostgreSQL, and to the first read from a snapshot', async () => {
    const { url, stop } = await startPostgresUrl({ migrated: false });
    const database = await openDatabase(url, { timeoutMs: 10_000 });
    try {
      const sleep = 'SELECT pg_sleep(8)';
      const steps = {
        read: () => database.read.all(sleep),
        aside: () => database.readAside(1).all(sleep),
        write: () => database.write((sql) => sql.all(sleep)),
        snapshot: async () => (await database.snapshot()).all(sleep),
      };
      for (const [name, step] of Object.entries(steps)) {
        const startedAt = performance.now();
        await withSharedDeadline(1500, async () => {
          await assert.rejects(step(), Unavailable, name);
          await assert.rejects(step(), Unavailable, name);
        });
        const elapsedMs = performance.now() - startedAt;
        assert.ok(elapsedMs < 4000 * slowness(), `${name} took ${Math.round(elapsedMs)} ms`);
      }
    } finally {
      await database.close();
      await stop();
    }
  });

  test('lets a caller without time left use a free connection, and returns a connection that arrives too late', async () => {
    const { url, stop } = await startPostgresUrl({ migrated: false });
    const database = await openDatabase(url);
    assert.equal(isDatabaseSlow(performance.now() + 20_000), false);
    try {
      await database.read.get('SELECT 1');
      await withSharedDeadline(1, async () => {
        await withDeadline(5000, () => pause(20));
        assert.deepEqual(await database.read.all('SELECT 1 AS one'), [{ one: 1 }]);
      });
      const held = Array.from({ length: 10 }, () => database.read.all('SELECT pg_sleep(1)'));
      const late = Array.from({ length: 20 }, () =>
        withSharedDeadline(100, () => assert.rejects(database.read.all('SELECT 1'), Unavailable)),
      );
      await Promise.all([...held, ...late]);
      const again = Array.from({ length: 30 }, () => database.read.get('SELECT 2 AS two'));
      assert.deepEqual(
        new Set((await Promise.all(again)).map((row) => JSON.stringify(row))),
        new Set(['{"two":2}']),
      );
    } finally {
      await database.close();
      await stop();
    }
  });
});
