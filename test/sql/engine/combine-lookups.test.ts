import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { Unavailable } from '@rollcall/core';
import { combineLookups } from '#adapters/sql/engine/combine-lookups.js';
import { withDeadline } from '#adapters/sql/engine/deadline.js';
import { withSharedDeadline } from '#adapters/sql/index.js';

/** Lookups of a table that can change, with the keys of each load. */
function watched(answer: (keys: readonly string[]) => Promise<string>) {
  const loads: (readonly string[])[] = [];
  const find = combineLookups((keys: readonly string[]) => {
    loads.push(keys);
    return answer(keys);
  });
  return { find, loads };
}

describe('Lookups of one turn of the event loop', () => {
  test('are one load of each key once, whose result goes to all of them', async () => {
    const { find, loads } = watched(async (keys) => `for ${keys.join()}`);
    const found = await Promise.all(['a', 'b', 'a', 'c'].map(find));
    assert.deepEqual(found, Array(4).fill('for a,b,c'));
    assert.deepEqual(loads, [['a', 'b', 'c']]);
  });

  test('never join a load that has begun, or one that has ended', async () => {
    let stored = 'old';
    const { find, loads } = watched(async () => {
      const read = stored;
      await pause(20);
      return read;
    });
    const first = find('a');
    await turn();
    assert.equal(loads.length, 1);
    stored = 'new';
    assert.deepEqual(await Promise.all([first, find('a')]), ['old', 'new']);
    stored = 'newest';
    assert.equal(await find('a'), 'newest');
    assert.equal(loads.length, 3);
  });

  test('are several loads if there are more than 25 keys', async () => {
    const { find, loads } = watched(async (keys) => keys.join());
    const keys = Array.from({ length: 60 }, (_, index) => `${index}`);
    const found = await Promise.all([...keys, '59'].map(find));
    assert.deepEqual(
      loads.map(({ length }) => length),
      [25, 25, 10],
    );
    for (const [index, key] of [...keys, '59'].entries())
      assert.ok(found[index]?.split(',').includes(key), `${key} in ${found[index]}`);
  });

  test('fail together, and the next ones load again', async () => {
    let isBroken = true;
    const { find, loads } = watched(async () => {
      if (isBroken) throw new Error('away');
      return 'back';
    });
    const failed = await Promise.allSettled([find('a'), find('b')]);
    assert.deepEqual(
      failed.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    isBroken = false;
    assert.equal(await find('a'), 'back');
    assert.equal(loads.length, 2);
  });

  test('use up the deadline of each caller', async () => {
    const { find } = watched(async () => {
      await pause(300);
      return 'late';
    });
    const left = (): Promise<number> => withDeadline(5000, async (deadline) => deadline - performance.now());
    const lefts = await Promise.all(
      [1, 2].map(() =>
        withSharedDeadline(1000, async () => {
          await find('a');
          return left();
        }),
      ),
    );
    for (const rest of lefts) assert.ok(rest > 450 && rest < 750, `${rest} ms are left`);
  });

  test('have the latest deadline of the callers, each of whom waits until their own', async () => {
    const { find } = watched(async () =>
      withDeadline(5000, async (deadline) => {
        await pause(300);
        return deadline - performance.now() > 1000 ? 'with time' : 'too late';
      }),
    );
    const [short, long] = await Promise.allSettled([
      withSharedDeadline(100, () => find('a')),
      withSharedDeadline(2000, () => find('a')),
    ]);
    assert.ok(short.status === 'rejected' && short.reason instanceof Unavailable, JSON.stringify(short));
    assert.deepEqual(long, { status: 'fulfilled', value: 'with time' });
    const [bounded, unbounded] = await Promise.all([withSharedDeadline(1000, () => find('b')), find('b')]);
    assert.deepEqual([bounded, unbounded], ['with time', 'with time']);
  });
});
