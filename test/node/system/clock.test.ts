import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { systemClock } from '#adapters/node/system/clock.js';
import { slowness } from '../../support/slowness.js';

test('the clock has the time of the machine', () => {
  const before = Date.now();
  const now = systemClock.now().getTime();
  assert.ok(before <= now && now <= Date.now());
});

test('a pause ends after the given milliseconds', async () => {
  const started = performance.now();
  await systemClock.pause(50);
  const elapsedMs = performance.now() - started;
  assert.ok(elapsedMs >= 49 && elapsedMs < 500 * slowness(), `took ${elapsedMs} ms`);
});

test('an awaited pause keeps the process alive', async () => {
  const program = `
    import { systemClock } from ${JSON.stringify(import.meta.resolve('#adapters/node/system/clock.js'))};
    await systemClock.pause(50);
    console.log('awake');`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  assert.equal(stdout, 'awake\n');
});
