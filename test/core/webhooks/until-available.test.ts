import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Unavailable } from '@rollcall/core';
import { fixedClock } from '@rollcall/core/testing';
import { untilAvailable } from '#core/webhooks/until-available.js';

describe('untilAvailable', () => {
  /** Fails with each of the errors, one after the other, and then succeeds. Notes when it is tried. */
  async function started(errors: readonly Error[]) {
    const { advance, ...clock } = fixedClock(new Date(0));
    const pause = async (milliseconds: number): Promise<void> => {
      await new Promise(setImmediate);
      advance(milliseconds);
    };
    const tries: number[] = [];
    const result = untilAvailable({ clock: { ...clock, pause } }, async () => {
      tries.push(clock.now().getTime());
      const error = errors[tries.length - 1];
      if (error !== undefined) throw error;
      return 'done';
    });
    return { tries, result: await result.catch((error: unknown) => error) };
  }

  test('waits twice as long after each failure, from 100 milliseconds to five seconds', async () => {
    const { tries, result } = await started(Array.from({ length: 9 }, () => new Unavailable('away')));
    assert.equal(result, 'done');
    const pauses = tries.slice(1).map((time, index) => time - (tries[index] ?? 0));
    assert.deepEqual(pauses, [100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000]);
  });

  test('passes on every other error at once', async () => {
    const error = new Error('a bug');
    const { tries, result } = await started([new Unavailable('away'), error]);
    assert.deepEqual([result, tries], [error, [0, 100]]);
  });
});
