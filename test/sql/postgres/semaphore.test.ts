import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
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
    const [first, , third] = ['one', 'two', 'three', 'four'].map((name) => acquire(semaphore, name, holders));
    const release = await first;
    await pause(1);
    assert.deepEqual(holders, ['one', 'two']);
    release?.();
    release?.();
    (await third)?.();
    await pause(1);
    assert.deepEqual(holders, ['one', 'two', 'three', 'four']);
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
