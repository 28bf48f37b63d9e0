import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { durationText, minutesBetween } from '@rollcall/core/rules';

const now = new Date('2026-11-20T12:00:00.000Z');

describe('duration', () => {
  test('is written in hours and minutes', () => {
    const texts = [0, 1, 45, 60, 61, 90, 120, 1500].map(durationText);
    assert.deepEqual(texts, [
      '0 minutes',
      '1 minute',
      '45 minutes',
      '1 hour',
      '1 hour 1 minute',
      '1 hour 30 minutes',
      '2 hours',
      '25 hours',
    ]);
  });

  test('counts whole minutes from start to end', () => {
    assert.equal(
      minutesBetween({ startTime: now, endTime: new Date(now.getTime() + 90 * 60_000 + 59_999) }),
      90,
    );
  });
});
