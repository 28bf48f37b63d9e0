import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createReadinessDrain } from '#app/readiness-drain.js';

/** With a clock that stands still until it is told. */
function watched(looksAt: readonly number[]) {
  let at = 0;
  const drain = createReadinessDrain({ now: () => at, longest: 1000 });
  for (const look of looksAt) {
    at = look;
    assert.equal(drain.look(), true);
  }
  return {
    drain,
    moveTo(moment: number) {
      at = moment;
    },
  };
}

/** Milliseconds that telling takes when `looks` come meanwhile. */
async function telling({ tellStop, look }: ReturnType<typeof createReadinessDrain>, looks: number) {
  const begun = performance.now();
  const told = tellStop();
  for (let count = 0; count < looks; count += 1) {
    await pause(10);
    assert.equal(look(), false);
  }
  await told;
  return performance.now() - begun;
}

describe('Those who watch whether the service is ready', () => {
  test('are told when it stops: it waits until somebody has looked three times, and a moment more', async () => {
    const took = await telling(watched([0, 500, 1000]).drain, 3);
    assert.ok(took >= 300 && took < 900, `it took ${took} ms`);
  });

  test('are waited for no longer than so long', async () => {
    const took = await telling(watched([0, 1000]).drain, 2);
    assert.ok(took >= 990, `it took ${took} ms`);
  });

  for (const [who, looks] of [
    ['nobody', []],
    ['somebody who looked once', [0]],
    ['somebody who looked twice at once', [0, 900]],
    ['somebody who looked again after a long time', [0, 31_000]],
  ] as const) {
    test(`are not ${who}: it stops at once`, async () => {
      const took = await telling(watched(looks).drain, 0);
      assert.ok(took < 300, `it took ${took} ms`);
    });
  }

  test('are not those who have stopped to look long ago', async () => {
    const { drain, moveTo } = watched([0, 5000]);
    moveTo(36_000);
    assert.ok((await telling(drain, 0)) < 300);
  });
});
