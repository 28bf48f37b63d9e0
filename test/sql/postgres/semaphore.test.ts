import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { createSemaphore, type Semaphore } from '#adapters/sql/postgres/semaphore.js';

/** Acquires a place, and then adds the name to `holders`. */
async function acquire(semaphore: Semaphore, name: string, holders: string[]): Promise<() => void> {
  const release = await semaphore.acquire();
  holders.push(name);
  return release;
}

describe('A semaphore', () => {
  test('limits the number of holders, and serves them in order of arrival', async () => {
    const semaphore = createSemaphore(2);
    const holders: string[] = [];
    const [first, , third, fourth] = ['one', 'two', 'three', 'four'].map((name) =>
      acquire(semaphore, name, holders),
    );
    const release = await first;
    await pause(1);
    assert.deepEqual(holders, ['one', 'two']);
    release?.();
    release?.();
    (await third)?.();
    await fourth;
    assert.deepEqual(holders, ['one', 'two', 'three', 'four']);
  });

  test('lets no more than its slots begin in one turn of the event loop, however soon they are released', async () => {
    const semaphore = createSemaphore(2);
    let begun = 0;
    const work = async (): Promise<void> => {
      const release = await semaphore.acquire();
      begun += 1;
      release();
    };
    const all = Promise.all(Array.from({ length: 8 }, work));
    const inEachTurn: number[] = [];
    while (begun < 8) {
      const before = begun;
      await nextTurn();
      inEachTurn.push(begun - before);
    }
    await all;
    assert.ok(Math.max(...inEachTurn) <= 2, `begun in each turn: ${inEachTurn.join(', ')}`);
  });

  test('is free again when all have released', async () => {
    const semaphore = createSemaphore(1);
    (await semaphore.acquire())();
    (await semaphore.acquire())();
    assert.ok(await Promise.race([semaphore.acquire(), pause(10)]));
  });

  test('does not wait any longer for a holder that keeps its place too long', async () => {
    const semaphore = createSemaphore(1);
    const holders: string[] = [];
    const stuck = await acquire(semaphore, 'stuck', holders);
    const next = acquire(semaphore, 'next', holders);
    await next;
    stuck();
    const last = acquire(semaphore, 'last', holders);
    await pause(1);
    assert.deepEqual(holders, ['stuck', 'next'], 'a late release must not free a second place');
    (await next)();
    await last;
    assert.deepEqual(holders, ['stuck', 'next', 'last']);
  });
});
