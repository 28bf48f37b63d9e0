import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Refusal } from '@rollcall/core';
import { aMeeting, type Dataset } from '@rollcall/core/testing';
import { startWithMembers } from '../../support/core/meetings-core.js';

const now = new Date('2026-11-20T12:00:00.000Z');
const member = { organizationId: 1, userId: 1 };

const at = (start: string, end: string) => ({ startTime: new Date(start), endTime: new Date(end) });

const dataset: Dataset = {
  meetings: [
    aMeeting(1, { name: 'Long ago', ...at('2021-03-01T10:00:00.000Z', '2021-03-01T11:00:00.000Z') }),
    aMeeting(2, { status: 'complete', ...at('2026-11-19T10:00:00.000Z', '2026-11-19T11:00:00.000Z') }),
    aMeeting(3, { ...at('2026-11-20T11:00:00.000Z', now.toISOString()) }),
    aMeeting(4, { ...at('2026-11-20T11:30:00.000Z', '2026-11-20T12:00:00.001Z') }),
    aMeeting(5, { status: 'cancel', ...at('2026-11-01T10:00:00.000Z', '2026-11-01T11:00:00.000Z') }),
    aMeeting(6, { ...at('2026-11-02T10:00:00.000Z', '2026-11-02T11:00:00.000Z') }),
    aMeeting(7, { waitList: true, ...at('2026-11-03T10:00:00.000Z', '2026-11-03T11:00:00.000Z') }),
    aMeeting(8, { status: 'complete', ...at('2026-12-01T10:00:00.000Z', '2026-12-01T11:00:00.000Z') }),
    aMeeting(9, { organizationId: 2, ...at('2026-11-02T10:00:00.000Z', '2026-11-02T11:00:00.000Z') }),
  ],
  registrations: [1, 2, 3, 4, 5, 8, 9].map((meetingId) => ({ meetingId, userId: 1, registeredAt: now })),
  waitingPlaces: [{ meetingId: 7, userId: 1, status: 'accepted', createdAt: now }],
};

describe('listPastMeetings', () => {
  test('lists the seats in meetings that have ended or are completed, the latest first', async () => {
    const { core } = await startWithMembers(dataset);
    const { meetings, ...page } = await core.listPastMeetings(member);
    assert.deepEqual(
      meetings.map(({ id }) => id),
      [8, 3, 2, 1],
    );
    assert.deepEqual(page, { currentPage: 1, items: 25, totalItems: 4, totalPages: 1, asOf: now });
    assert.deepEqual([meetings[3]?.name, meetings[3]?.registeredAt], ['Long ago', now]);
  });

  test('and `listOwnMeetings` together have each seat once, except in canceled meetings', async () => {
    const { core } = await startWithMembers(dataset);
    const [own, past] = [await core.listOwnMeetings(member), await core.listPastMeetings(member)];
    const ids = [...own.meetings, ...past.meetings].map(({ id }) => id);
    assert.deepEqual(
      ids.toSorted((one, other) => one - other),
      [1, 2, 3, 4, 8],
    );
  });

  test('has pages of 25, and refuses a user who is not a member', async () => {
    const ids = Array.from({ length: 26 }, (_, index) => index + 1);
    const start = Date.parse('2026-01-01T10:00:00.000Z');
    const { core } = await startWithMembers({
      meetings: ids.map((id) =>
        aMeeting(id, {
          startTime: new Date(start + id * 3_600_000),
          endTime: new Date(start + (id + 1) * 3_600_000),
        }),
      ),
      registrations: ids.map((meetingId) => ({ meetingId, userId: 1, registeredAt: now })),
    });
    const { meetings, totalPages } = await core.listPastMeetings({ ...member, page: '2' });
    assert.deepEqual([meetings.map(({ id }) => id), totalPages], [[1], 2]);
    await assert.rejects(core.listPastMeetings({ organizationId: 2, userId: 1 }), Refusal);
  });
});
