import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCore } from '@rollcall/core';
import { aMeeting, aUser } from '@rollcall/core/testing';
import {
  isUnknownFeed,
  links,
  meetingsOf,
  member,
  now,
  startWithMember,
} from '../../support/core/calendar-core.js';
import { refused, tokenOf } from '../../support/core/refused.js';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('readCalendarFeed', () => {
  test('refuses a feed that was replaced or revoked, or whose user is no longer a member', async () => {
    const { core, ports } = await startWithMember({});
    const first = tokenOf((await core.createCalendarFeed(member)).url);
    const second = tokenOf((await core.createCalendarFeed(member)).url);
    await assert.rejects(core.readCalendarFeed({ token: first }), isUnknownFeed);
    await core.readCalendarFeed({ token: second });
    assert.equal(await core.revokeCalendarFeed(member), true);
    assert.equal(await core.revokeCalendarFeed(member), false);
    await assert.rejects(core.readCalendarFeed({ token: second }), isUnknownFeed);

    const third = tokenOf((await core.createCalendarFeed(member)).url);
    const afterRemoval = createCore(
      { ...ports, members: { ...ports.members, byUserId: async () => null } },
      { links },
    );
    await assert.rejects(afterRemoval.readCalendarFeed({ token: third }), isUnknownFeed);
  });

  test('refuses a token of another purpose and a malformed one', async () => {
    const { core, ports } = await startWithMember({});
    await core.createCalendarFeed(member);
    const { token } = ports.secrets.newToken('login-link');
    for (const wrong of [token.reveal(), '', 'calendar', 'x'.repeat(5000)]) {
      await assert.rejects(core.readCalendarFeed({ token: wrong }), isUnknownFeed);
    }
  });

  test('lists registrations since 30 days ago and open waiting places, in order, with their status', async () => {
    const at = (days: number, minutes = 0) => ({
      startTime: new Date(now.getTime() + days * DAY_MS - 60_000),
      endTime: new Date(now.getTime() + days * DAY_MS + minutes * 60_000),
    });
    const { core } = await startWithMember({
      users: [aUser(2, { firstName: 'Dana', lastName: 'kim' })],
      meetings: [
        aMeeting(1, { ...at(2), groupLeaderId: 2, description: 'Bring a book' }),
        aMeeting(2, { ...at(-30, 1), status: 'complete' }),
        aMeeting(3, at(-30)),
        aMeeting(4, { ...at(1), status: 'cancel' }),
        aMeeting(5, { ...at(3), organizationId: 2 }),
        aMeeting(6, { ...at(1), organizationId: null }),
        ...[10, 11, 12, 13, 14, 15].map((id) => aMeeting(id, { ...at(id), waitList: true })),
        aMeeting(16, { ...at(-1), waitList: true }),
        aMeeting(17, at(4)),
      ],
      registrations: [1, 2, 3, 4, 5, 6, 15].map((meetingId) => ({ meetingId, userId: 1, registeredAt: now })),
      waitingPlaces: (
        [
          [10, 'waiting'],
          [11, 'offered'],
          [12, 'accepted'],
          [13, 'rejected'],
          [14, 'expired'],
          [15, 'rejected'],
          [16, 'waiting'],
        ] as const
      ).map(([meetingId, status]) => ({ meetingId, userId: 1, status, createdAt: now })),
    });
    const token = tokenOf((await core.createCalendarFeed(member)).url);
    const meetings = await meetingsOf(await core.readCalendarFeed({ token }));
    assert.deepEqual(
      meetings.map(({ id, status }) => [id, status]),
      [
        [2, 'confirmed'],
        [6, 'confirmed'],
        [1, 'confirmed'],
        [10, 'tentative'],
        [11, 'tentative'],
        [12, 'tentative'],
        [15, 'confirmed'],
      ],
    );
    assert.deepEqual(meetings[2], {
      id: 1,
      name: 'Meeting 1',
      ...at(2),
      topic: 'Grief',
      description: 'Bring a book',
      location: 'zoom',
      groupLeader: 'Dana K.',
      status: 'confirmed',
      asOf: now,
    });

    assert.deepEqual(await core.readCalendarMeeting({ ...member, meetingId: 1 }), meetings[2]);
    for (const meetingId of [3, 4, 5, 13, 17, 99, Number.NaN]) {
      await assert.rejects(
        core.readCalendarMeeting({ ...member, meetingId }),
        refused('meeting-not-found'),
        String(meetingId),
      );
    }
    await assert.rejects(
      core.readCalendarMeeting({ organizationId: 2, userId: 1, meetingId: 1 }),
      refused('member-not-found'),
    );
  });

  test('leaves out a meeting that is deleted while the feed is read', async () => {
    const { core, ports } = await startWithMember({
      meetings: [1, 2].map((id) => aMeeting(id)),
      registrations: [1, 2].map((meetingId) => ({ meetingId, userId: 1, registeredAt: now })),
    });
    const token = tokenOf((await core.createCalendarFeed(member)).url);
    const details: typeof ports.meetings.details = async (request) =>
      (await ports.meetings.details(request)).filter(({ id }) => id !== 1);
    const meanwhile = createCore({ ...ports, meetings: { ...ports.meetings, details } }, { links });
    const meetings = await meetingsOf(await meanwhile.readCalendarFeed({ token }));
    assert.deepEqual(
      meetings.map(({ id }) => id),
      [2],
    );
  });

  test('reads fewer meetings at a time after long descriptions, and more again after short ones', async () => {
    const lengths = [...Array(10).fill(20_000), 20_000, 40_000, 80_000, 0, ...Array(10).fill(13_000), 1];
    const { core } = await startWithMember({
      meetings: lengths.map((length, index) => {
        const startTime = new Date(now.getTime() + index * DAY_MS);
        return { ...aMeeting(index + 1), startTime, endTime: startTime, description: 'x'.repeat(length) };
      }),
      registrations: lengths.map((_, index) => ({ meetingId: index + 1, userId: 1, registeredAt: now })),
    });
    const { meetings } = await core.readCalendarFeed({
      token: tokenOf((await core.createCalendarFeed(member)).url),
    });
    const parts: number[] = [];
    for await (const part of meetings()) parts.push(part.length);
    assert.deepEqual(parts, [10, 2, 1, 1, 10, 1]);
  });

  test('lists at most the 1000 earliest meetings', async () => {
    const ids = Array.from({ length: 1005 }, (_, index) => index + 1);
    const { core } = await startWithMember({
      meetings: ids.map((id) => {
        const startTime = new Date(now.getTime() + id * 60_000);
        return aMeeting(id, { startTime, endTime: new Date(startTime.getTime() + 60_000) });
      }),
      registrations: ids.map((meetingId) => ({ meetingId, userId: 1, registeredAt: now })),
    });
    const meetings = await meetingsOf(
      await core.readCalendarFeed({
        token: tokenOf((await core.createCalendarFeed(member)).url),
      }),
    );
    assert.deepEqual(
      meetings.map(({ id }) => id),
      ids.slice(0, 1000),
    );
  });
});
