import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Turns } from '#adapters/sql/postgres/turns.js';

/** Asks for a turn, and says when it has come. */
function ask(turns: Turns, name: string, came: string[]): Promise<() => void> {
  return turns.take().then((end) => {
    came.push(name);
    return end;
  });
}

describe('Turns', () => {
  test('are had by so many at a time, and come in the order in which they were asked for', async () => {
    const turns = new Turns(2);
    const came: string[] = [];
    const [first, , third] = ['one', 'two', 'three', 'four'].map((name) => ask(turns, name, came));
    const end = await first;
    assert.deepEqual(came, ['one', 'two']);
    end?.();
    end?.();
    (await third)?.();
    await pause(1);
    assert.deepEqual(came, ['one', 'two', 'three', 'four']);
  });

  test('are free again when nobody waits', async () => {
    const turns = new Turns(1);
    (await turns.take())();
    (await turns.take())();
    assert.ok(await Promise.race([turns.take(), pause(10)]));
  });

  test('are not waited for when they last too long', async () => {
    const turns = new Turns(1);
    const came: string[] = [];
    const stuck = await ask(turns, 'stuck', came);
    const next = ask(turns, 'next', came);
    await next;
    stuck();
    const last = ask(turns, 'last', came);
    await pause(1);
    assert.deepEqual(
      came,
      ['stuck', 'next'],
      'the end of a turn that was over already gives nobody another one',
    );
    (await next)();
    await last;
    assert.deepEqual(came, ['stuck', 'next', 'last']);
  });
});
