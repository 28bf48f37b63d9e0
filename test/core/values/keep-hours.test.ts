import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptUntil, maxKeepHours } from '#core/values/keep-hours.js';

test('a replaced key works for the given hours, at most a week', () => {
  assert.equal(maxKeepHours, 168);
  const at = new Date('2026-11-20T12:00:00.000Z');
  assert.deepEqual(keptUntil(at, 1), new Date('2026-11-20T13:00:00.000Z'));
  assert.deepEqual(keptUntil(at, 168), new Date('2026-11-27T12:00:00.000Z'));
});
