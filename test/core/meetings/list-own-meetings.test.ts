import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aMeeting } from '@rollcall/core/testing';
import { startWithMembers, threeMeetings } from '../../support/core/meetings-core.js';
import { refused } from '../../support/core/refused.js';

const now = new Date('2026-11-20T12:00:00.000Z');

describe('listOwnMeetings', () => {
  test('refuses a user who is not a member of the organization', async () => {
    const { core } = await startWithMembers(threeMeetings);
    const { totalItems, asOf } = await core.listOwnMeetings({ organizationId: 1, userId: 1 });
    assert.deepEqual([totalItems, asOf], [2, now]);
    await assert.rejects(core.listOwnMeetings({ organizationId: 2, userId: 1 }), refused('member-not-found'));
  });

  test('has pages of 25', async () => {
    const ids = Array.from({ length: 26 }, (_, index) => index + 1);
    const { core } = await startWithMembers({
      meetings: ids.map((id) => aMeeting(id)),
      registrations: ids.map((meetingId) => ({ meetingId, userId: 1, registeredAt: now })),
    });
    const pages = await Promise.all(
      [undefined, '2'].map((page) => core.listOwnMeetings({ organizationId: 1, userId: 1, page })),
    );
    assert.deepEqual(
      pages.map(({ meetings, currentPage, items, totalPages }) => [
        meetings.map(({ id }) => id),
        [currentPage, items, totalPages],
      ]),
      [
        [ids.slice(0, 25), [1, 25, 2]],
        [[26], [2, 25, 2]],
      ],
    );
  });
});
