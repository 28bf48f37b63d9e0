import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createClockWatch } from '#app/clock-watch.js';
import { recordedLog } from '../support/recorded-log.js';

test('The log warns once about a wrong clock, again if the difference changes, and says when the clock is right', async () => {
  const { log, lines } = recordedLog<{ readonly level: number; readonly clockAheadSeconds: number }>();
  let aheadMs: number | null = 90_040;
  let measured = 0;
  const watch = createClockWatch({
    clock: {
      now: () => new Date(),
      pause: async () => {},
      measure: async () => {
        measured += 1;
      },
      aheadMs: () => aheadMs,
    },
    log,
    errorTracker: { report: (error) => assert.fail(String(error)) },
    intervalMs: 5,
  });
  await watch.start();
  assert.equal(measured, 1, 'measured before the first interval');
  const lineSummaries = () => lines.map(({ level, clockAheadSeconds }) => [level, clockAheadSeconds]);
  assert.deepEqual(lineSummaries(), [[40, 90]]);
  for (const next of [91_000, -10_000, -9000, 100, null, 2900]) {
    aheadMs = next;
    await pause(60);
  }
  await watch.stop();
  assert.deepEqual(lineSummaries(), [
    [40, 90],
    [40, -10],
    [30, 0.1],
  ]);
  const before = measured;
  await pause(30);
  assert.equal(measured, before);
});
