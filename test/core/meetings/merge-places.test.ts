import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mergePlaces } from '@rollcall/core/rules';

const now = new Date('2026-11-20T12:00:00.000Z');

describe('mergePlaces', () => {
  const at = (minute: number): Date => new Date(now.getTime() + minute * 60_000);

  test('lists a meeting once, even if the member is both registered and waitlisted', () => {
    const merged = mergePlaces(
      [{ meetingId: 2, startTime: at(5), registeredAt: now }],
      [{ meetingId: 2, startTime: at(5), status: 'offered', offeredUntil: at(3) }],
    );
    assert.deepEqual(merged, [
      {
        ...{ meetingId: 2, startTime: at(5), registeredAt: now },
        ...{ waitingStatus: 'offered', offeredUntil: at(3) },
      },
    ]);
  });

  test('orders by start time and then id', () => {
    const merged = mergePlaces(
      [
        { meetingId: 9, startTime: at(1), registeredAt: now },
        { meetingId: 3, startTime: at(2), registeredAt: now },
      ],
      [
        { meetingId: 10, startTime: at(1), status: 'waiting' },
        { meetingId: 2, startTime: at(2), status: 'expired' },
      ],
    );
    assert.deepEqual(
      merged.map(({ meetingId, waitingStatus }) => [meetingId, waitingStatus]),
      [
        [9, null],
        [10, 'waiting'],
        [2, 'expired'],
        [3, null],
      ],
    );
  });
});
