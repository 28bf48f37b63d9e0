import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '@rollcall/core';
import { waiting } from '#adapters/sql/engine/deadline.js';
import { isPressed, openDatabase, withOnePatience } from '#adapters/sql/index.js';
import { startPostgresUrl } from '../../support/postgres.js';

const left = (patience: number) => waiting(patience, async (until) => until - performance.now());

describe('One patience for all steps of a request', () => {
  test('is of use while somebody waits long for the database, and for ten seconds after', async () => {
    assert.equal(isPressed(), false);
    await waiting(5000, () => pause(20));
    assert.equal(isPressed(), false, 'short waits are none');
    const wait = waiting(5000, () => pause(400));
    assert.equal(isPressed(), false);
    await pause(300);
    assert.equal(isPressed(), true, 'while it waits');
    await wait;
    assert.equal(isPressed(performance.now() + 9_000), true);
    await withOnePatience(1000, async () => {
      assert.ok((await left(5000)) <= 1000);
      assert.equal(isPressed(performance.now() + 11_000), false);
      assert.ok((await left(5000)) > 4900, 'nothing is shared any more');
    });
    assert.ok((await withOnePatience(1000, () => left(5000))) <= 1000, 'nor is that for ever');
  });

  test('is spent by what waits for the database, and by nothing else', async () => {
    await withOnePatience(1000, async () => {
      assert.ok((await left(5000)) > 900);
      await pause(200);
      assert.ok((await left(5000)) > 900, 'what does not wait for the database is free');
      await waiting(5000, () => pause(300));
      const rest = await left(5000);
      assert.ok(rest > 500 && rest < 750, `${rest} ms are left`);
      assert.ok((await left(100)) <= 100, 'who has less patience keeps to it');
    });
    const outside = await left(5000);
    assert.ok(outside > 800, `${outside} ms outside: it has its own`);
  });

  test('ends as early for requests that were under way when the trouble began, though with 0.15 s for each step', async () => {
    assert.equal(isPressed(performance.now() + 20_000), false);
    assert.ok((await left(1500)) > 1400, 'there is no trouble');
    await waiting(1500, () => pause(600));
    const rest = await left(1500);
    assert.ok(rest > 800 && rest < 1250, `${rest} ms are left 350 ms after it could be noticed`);
    await pause(1050);
    const least = await left(1500);
    assert.ok(least > 100 && least <= 150, `${least} ms are left: the least`);
    await pause(1700);
    assert.ok((await left(1500)) > 1400, 'who waits outside by now is no request');
    assert.equal(isPressed(performance.now() + 20_000), false);
    assert.ok((await left(1500)) > 1400, 'it is over');
  });

  test('holds for connections and statements of PostgreSQL, and for what is read from a snapshot first', async () => {
    const { url, stop } = await startPostgresUrl({ migrated: false });
    const database = await openDatabase(url, { patience: 10_000 });
    try {
      const sleep = 'SELECT pg_sleep(8)';
      const steps = {
        read: () => database.read.all(sleep),
        write: () => database.write((sql) => sql.all(sleep)),
        snapshot: async () => (await database.snapshot()).all(sleep),
      };
      for (const [name, step] of Object.entries(steps)) {
        const begun = performance.now();
        await withOnePatience(1500, async () => {
          await assert.rejects(step(), Unavailable, name);
          await assert.rejects(step(), Unavailable, name);
        });
        const took = performance.now() - begun;
        assert.ok(took < 4000, `${name} took ${Math.round(took)} ms`);
      }
    } finally {
      await database.close();
      await stop();
    }
  });

  test('does not keep who has none left from a connection that is free, and gives back one that comes too late', async () => {
    const { url, stop } = await startPostgresUrl({ migrated: false });
    const database = await openDatabase(url);
    assert.equal(isPressed(performance.now() + 20_000), false);
    try {
      await database.read.get('SELECT 1');
      await withOnePatience(1, async () => {
        await waiting(5000, () => pause(20));
        assert.deepEqual(await database.read.all('SELECT 1 AS one'), [{ one: 1 }]);
      });
      const held = Array.from({ length: 10 }, () => database.read.all('SELECT pg_sleep(1)'));
      const late = Array.from({ length: 20 }, () =>
        withOnePatience(100, () => assert.rejects(database.read.all('SELECT 1'), Unavailable)),
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
