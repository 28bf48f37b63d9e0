import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clampTimestamp } from '#core/values/timestamp.js';

describe('A time that is stored', () => {
  test('lies from the year 1 to the end of the year 9999', () => {
    const clamped = (time: string) => clampTimestamp(new Date(time)).toISOString();
    const first = '0001-01-01T00:00:00.000Z';
    const last = '9999-12-31T23:59:59.999Z';
    for (const time of [first, last, '2026-11-20T12:00:00.001Z']) assert.equal(clamped(time), time);
    assert.equal(clamped('0000-12-31T23:59:59.999Z'), first);
    assert.equal(clamped('-271821-04-20T00:00:00.000Z'), first);
    assert.equal(clamped('+010000-01-01T00:00:00.000Z'), last);
  });
});
