import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Refusal } from '@rollcall/core';
import { aMeeting, type Dataset } from '@rollcall/core/testing';
import { startWithMembers } from '../../support/core/meetings-core.js';

const now = new Date('2026-11-20T12:00:00.000Z');

describe('listOwnMeetings', () => {
  const dataset: Dataset = {
    meetings: [
      aMeeting(1, { groupLeaderId: 2, waitList: true, endTime: new Date('2026-11-20T19:30:00.000Z') }),
      aMeeting(2, { startTime: new Date('2026-11-20T17:00:00.000Z') }),
      aMeeting(3, { waitList: false }),
    ],
    registrations: [{ meetingId: 2, userId: 1, registeredAt: now }],
    waitingPlaces: [
      { meetingId: 1, userId: 1, status: 'waiting', createdAt: now },
      { meetingId: 3, userId: 1, status: 'waiting', createdAt: now },
    ],
  };

  test('refuses a user who is not a member of the organization', async () => {
    const { core } = await startWithMembers(dataset);
    const { totalItems, asOf } = await core.listOwnMeetings({ organizationId: 1, userId: 1 });
    assert.deepEqual([totalItems, asOf], [2, now]);
    await assert.rejects(core.listOwnMeetings({ organizationId: 2, userId: 1 }), Refusal);
  });
});
