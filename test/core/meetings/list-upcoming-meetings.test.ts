import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCore, Refusal } from '@rollcall/core';
import { isStorable } from '@rollcall/core/adapters';
import { aMeeting, aUser } from '@rollcall/core/testing';
import { northwind, startWithMembers, threeMeetings } from '../../support/core/meetings-core.js';

const now = new Date('2026-11-20T12:00:00.000Z');

describe('listUpcomingMeetings', () => {
  test('merges registrations and waiting places, and ignores a disabled waitlist', async () => {
    const { core } = await startWithMembers(threeMeetings);
    const list = await core.listUpcomingMeetings({ organization: northwind, idpId: 'idp-1' });
    assert.deepEqual(
      { ...list, meetings: list.meetings.map(({ id }) => id) },
      { currentPage: 1, items: 10, totalItems: 2, totalPages: 1, meetings: [2, 1] },
    );
    const [registered, waiting] = list.meetings;
    assert.deepEqual(
      [registered?.registeredAt, registered?.waitingStatus, registered?.groupLeader],
      [now, null, null],
    );
    assert.deepEqual([waiting?.registeredAt, waiting?.waitingStatus], [null, 'waiting']);
    assert.deepEqual(waiting?.groupLeader, {
      id: 2,
      name: 'First2 L.',
      avatar: 'https://service.test/avatar.svg',
    });
    assert.deepEqual([waiting?.duration, waiting?.durationInMinutes], ['1 hour 30 minutes', 90]);
  });

  test('shows everything about a meeting, with the leader’s own picture if there is one', async () => {
    const { core } = await startWithMembers({
      users: [aUser(3, { firstName: 'Ana', lastName: 'Ōe', avatar: 'https://pictures.test/3.png' })],
      meetings: [
        aMeeting(7, {
          name: 'Breathing',
          startTime: new Date('2026-11-21T17:00:00.000Z'),
          endTime: new Date('2026-11-21T18:00:00.000Z'),
          topic: 'Stress',
          description: 'Bring a mat',
          location: 'Room 3',
          maxAttendees: 9,
          groupLeaderId: 3,
        }),
      ],
      registrations: [1, 2].map((userId) => ({ meetingId: 7, userId, registeredAt: now })),
    });
    const { meetings } = await core.listUpcomingMeetings({ organization: northwind, idpId: 'idp-1' });
    assert.deepEqual(meetings, [
      {
        id: 7,
        name: 'Breathing',
        startTime: new Date('2026-11-21T17:00:00.000Z'),
        endTime: new Date('2026-11-21T18:00:00.000Z'),
        topic: 'Stress',
        description: 'Bring a mat',
        location: 'Room 3',
        maxAttendees: 9,
        registeredAttendees: 2,
        showsNames: true,
        duration: '1 hour',
        durationInMinutes: 60,
        groupLeader: { id: 3, name: 'Ana Ō.', avatar: 'https://pictures.test/3.png' },
        waitingStatus: null,
        offeredUntil: null,
        registeredAt: now,
      },
    ]);
  });

  test('refuses an unknown idp_id, with the name of the service in the message', async () => {
    const { ports, links } = await startWithMembers(threeMeetings);
    // Fails for texts that it cannot store, as databases do.
    const placesOf: typeof ports.meetings.placesOf = async (member) => {
      assert.ok(isStorable(member.idpId));
      return ports.meetings.placesOf(member);
    };
    const core = createCore(
      { ...ports, meetings: { ...ports.meetings, placesOf } },
      { serviceName: 'Acme', links },
    );
    for (const idpId of ['nobody', 'idp-1\0', '\ud800', '']) {
      await assert.rejects(
        core.listUpcomingMeetings({ organization: northwind, idpId }),
        (error) =>
          error instanceof Refusal &&
          error.code === 'member-not-found' &&
          error.message === 'User not found on Acme',
      );
    }
  });

  test('a page past the end is empty and has the correct totals', async () => {
    const { core } = await startWithMembers(threeMeetings);
    const list = await core.listUpcomingMeetings({
      organization: northwind,
      idpId: 'idp-1',
      page: 9,
      items: 1,
    });
    assert.deepEqual(list, { currentPage: 9, items: 1, totalItems: 2, totalPages: 2, meetings: [] });
  });
});
