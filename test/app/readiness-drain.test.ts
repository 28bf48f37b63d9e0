import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createReadinessDrain, readyUntilDrained } from '#app/readiness-drain.js';
import { slowness } from '../support/slowness.js';

const MAX_DRAIN_MS = 2500;

/** A drain that was probed at these times, with a clock that the test moves. */
function probedAt(times: readonly number[]) {
  let now = 0;
  const drain = createReadinessDrain({ now: () => now, maxDrainMs: MAX_DRAIN_MS });
  for (const time of times) {
    now = time;
    assert.equal(drain.recordProbe(), true);
  }
  return {
    drain,
    moveTo(time: number) {
      now = time;
    },
  };
}

/** The milliseconds that a drain takes while the given number of probes arrives. */
async function drainTime(readinessDrain: ReturnType<typeof createReadinessDrain>, probes: number) {
  const { drain } = readinessDrain;
  const probe = readyUntilDrained(async () => [], readinessDrain);
  const startedAt = performance.now();
  const drained = drain();
  for (let count = 0; count < probes; count += 1) {
    await pause(10);
    assert.deepEqual((await probe())[0], { name: 'serving', state: 'failed' });
  }
  await drained;
  return performance.now() - startedAt;
}

describe('A readiness drain', () => {
  test('ends shortly after a watching proxy was refused three times', async () => {
    const elapsedMs = await drainTime(probedAt([0, 500, 1000]).drain, 3);
    assert.ok(elapsedMs >= 990 && elapsedMs < 1900 * slowness(), `it took ${elapsedMs} ms`);
  });

  test('answers at once, with what the last check found: the database may be slow', async () => {
    const { drain } = probedAt([0, 500, 1000]);
    const answers = [
      Promise.resolve([{ name: 'database', state: 'ok' } as const]),
      new Promise<never>(() => undefined),
    ];
    const probe = readyUntilDrained(() => answers.shift() ?? assert.fail('not checked again'), drain);
    assert.deepEqual(await probe(), [{ name: 'database', state: 'ok' }]);
    void drain.drain();
    assert.deepEqual(await probe(), [
      { name: 'serving', state: 'failed' },
      { name: 'database', state: 'ok' },
    ]);
  });

  test('ends at its time limit if a watching proxy probes too rarely', async () => {
    const elapsedMs = await drainTime(probedAt([0, 1000]).drain, 2);
    assert.ok(elapsedMs >= MAX_DRAIN_MS - 10, `it took ${elapsedMs} ms`);
  });

  for (const [probes, times] of [
    ['there was no probe', []],
    ['there was one probe', [0]],
    ['two probes came close together', [0, 900]],
    ['the second probe came after a long time', [0, 31_000]],
  ] as const) {
    test(`ends at once if ${probes}: no proxy is watching`, async () => {
      const elapsedMs = await drainTime(probedAt(times).drain, 0);
      assert.ok(elapsedMs < 300 * slowness(), `it took ${elapsedMs} ms`);
    });
  }

  for (const [what, times, now, isWatched] of [
    ['stopped probing long ago', [0, 25_000], 56_000, false],
    ['has missed three probes', [0, 500, 1000, 1500], 3_100, false],
    ['probed close together while the service started', [0, 20, 40, 1010], 3_000, false],
    ['may probe again soon', [0, 10_000], 35_000, true],
    ['is a little late', [0, 500, 1000, 1500], 2_900, true],
  ] as const) {
    test(`${isWatched ? 'waits' : 'ends at once'} if the proxy ${what}`, async () => {
      const { drain, moveTo } = probedAt(times);
      moveTo(now);
      const elapsedMs = await drainTime(drain, 0);
      assert.equal(elapsedMs >= MAX_DRAIN_MS - 10, isWatched, `it took ${elapsedMs} ms`);
    });
  }
});
