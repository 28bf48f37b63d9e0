import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { createExportTurns, type ExportTurns } from '#adapters/sql/engine/export-turns.js';

/** Acquires a place, and then adds the name to `holders`. */
async function acquire(turns: ExportTurns, name: string, holders: string[]): Promise<() => void> {
  const release = await turns.acquire();
  holders.push(name);
  return release;
}

describe('A turns', () => {
  test('limits the number of holders, and serves them in order of arrival', async () => {
    const turns = createExportTurns(2, 60_000);
    const holders: string[] = [];
    const [first, second, third, fourth] = ['one', 'two', 'three', 'four'].map((name) =>
      acquire(turns, name, holders),
    );
    const release = await first;
    await pause(1);
    assert.deepEqual(holders, ['one', 'two']);
    release?.();
    release?.();
    (await third)?.();
    (await second)?.();
    (await fourth)?.();
    assert.deepEqual(holders, ['one', 'two', 'three', 'four']);
  });

  test('lets no more than its slots begin in one turn of the event loop, however soon they are released', async () => {
    const turns = createExportTurns(2);
    let begun = 0;
    const work = async (): Promise<void> => {
      const release = await turns.acquire();
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
    const turns = createExportTurns(1);
    (await turns.acquire())();
    (await turns.acquire())();
    assert.ok(await Promise.race([turns.acquire(), pause(5_000, undefined, { ref: false })]));
  });

  test('does not wait any longer for a holder that keeps its place too long', async () => {
    const turns = createExportTurns(1, 300);
    const holders: string[] = [];
    const stuck = await acquire(turns, 'stuck', holders);
    const next = acquire(turns, 'next', holders);
    await next;
    stuck();
    const last = acquire(turns, 'last', holders);
    await pause(1);
    assert.deepEqual(holders, ['stuck', 'next'], 'a late release must not free a second place');
    (await next)();
    await last;
    assert.deepEqual(holders, ['stuck', 'next', 'last']);
  });
});
