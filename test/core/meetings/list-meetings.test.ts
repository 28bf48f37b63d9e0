import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ListMeetings, type Organization, Refusal } from '@rollcall/core';
import { aMeeting, aUser } from '@rollcall/core/testing';
import { startWithMember } from '../../support/core/calendar-core.js';

const berlin: Organization = {
  ...{ id: 1, name: 'One', eap: true, timeZone: 'Europe/Berlin' },
  ...{ accessKeyGeneration: 0, previousAccessKey: null },
};

/** A meeting that begins in the first minute of a day in Berlin, and lasts for an hour. */
function onDay(id: number, day: string, fields: Parameters<typeof aMeeting>[1] = {}) {
  const startTime = new Date(`${day}T00:00:00+01:00`);
  return aMeeting(id, { startTime, endTime: new Date(startTime.getTime() + 3_600_000), ...fields });
}

/** Friday 20 November 2026, 13:00 in Berlin. */
const friday = new Date('2026-11-20T12:00:00.000Z');

const weeks = [
  ...[onDay(1, '2026-10-31', { status: 'complete' }), onDay(2, '2026-11-01', { status: 'cancel' })],
  ...[onDay(3, '2026-11-09'), onDay(4, '2026-11-15'), onDay(5, '2026-11-16'), onDay(6, '2026-11-20')],
  ...[onDay(7, '2026-11-22'), onDay(8, '2026-11-23'), onDay(9, '2026-11-30'), onDay(10, '2026-12-31')],
];

async function started() {
  const { core, clock } = await startWithMember({ meetings: weeks });
  clock.set(friday);
  const list = (request: Partial<ListMeetings>) => core.listMeetings({ organization: berlin, ...request });
  return { core, list };
}

describe('listMeetings', () => {
  test('lists every meeting of the organization with its state, 50 on a page', async () => {
    const { list } = await started();
    const { items, ...page } = await list({});
    assert.deepEqual(
      items.map(({ id, state }) => `${id} ${state}`),
      [
        ...['1 past', '2 canceled', '3 ended', '4 ended', '5 ended', '6 ended'],
        ...['7 upcoming', '8 upcoming', '9 upcoming', '10 upcoming'],
      ],
    );
    assert.deepEqual(page, {
      ...{ page: 1, size: 50, totalItems: 10, totalPages: 1, canceled: 1 },
      ...{ days: { from: null, to: null }, timeZone: 'Europe/Berlin', asOf: friday },
    });
    const second = await list({ order: 'latest', page: 2, size: 4 });
    assert.deepEqual([second.items.map(({ id }) => id), second.totalPages], [[6, 5, 4, 3], 3]);
  });

  test('starts and ends each range of days at midnight in the organization’s zone', async () => {
    const { list } = await started();
    const ranges = ['today', 'this_week', 'next_week', 'last_week'] as const;
    const months = ['current_month', 'next_month', 'last_month'] as const;
    const found = await Promise.all(
      [...ranges, ...months].map(async (dates) => {
        const { items, days } = await list({ dates });
        return [dates, days.from, days.to, items.map(({ id }) => id).join()];
      }),
    );
    assert.deepEqual(found, [
      ['today', '2026-11-20', '2026-11-20', '6'],
      ['this_week', '2026-11-16', '2026-11-22', '5,6,7'],
      ['next_week', '2026-11-23', '2026-11-29', '8'],
      ['last_week', '2026-11-09', '2026-11-15', '3,4'],
      ['current_month', '2026-11-01', '2026-11-30', '2,3,4,5,6,7,8,9'],
      ['next_month', '2026-12-01', '2026-12-31', '10'],
      ['last_month', '2026-10-01', '2026-10-31', '1'],
    ]);
  });

  test('takes days of its own, each alone or both, which a range replaces', async () => {
    const { list } = await started();
    const ids = async (request: Partial<ListMeetings>) => (await list(request)).items.map(({ id }) => id);
    assert.deepEqual(await ids({ from: '2026-11-16', to: '2026-11-20' }), [5, 6]);
    assert.deepEqual(await ids({ from: '2026-11-23' }), [8, 9, 10]);
    assert.deepEqual(await ids({ to: '2026-11-01' }), [1, 2]);
    assert.deepEqual(await ids({ dates: 'today', from: '2026-11-16', to: '' }), [6]);
    assert.deepEqual(await ids({ state: 'ended', from: '2026-11-15' }), [4, 5, 6]);
    assert.deepEqual(await ids({ search: 'meeting 10' }), [10]);
    assert.deepEqual(
      await ids({ from: '0000-01-01', to: '9999-12-31' }),
      weeks.map(({ id }) => id),
    );
  });

  test('refuses days that do not exist or are in the wrong order, and searches that are too long', async () => {
    const { list } = await started();
    const refused = async (request: Partial<ListMeetings>) => {
      const error: unknown = await list(request).catch((reason: unknown) => reason);
      return error instanceof Refusal && error.problems.map(({ field, code }) => [field, code].join(' '));
    };
    assert.deepEqual(await refused({ from: '2026-02-30', to: 'tomorrow' }), [
      'startTime malformed',
      'endTime malformed',
    ]);
    assert.deepEqual(await refused({ from: '2026-11-02', to: '2026-11-01' }), ['endTime not-allowed']);
    assert.deepEqual(await refused({ search: 'x'.repeat(301), from: '20261120' }), [
      'search too-long',
      'startTime malformed',
    ]);
    for (const request of [{ state: 'any' }, { dates: 'custom' }, { order: 'name' }] as const)
      await assert.rejects(list(request as object), TypeError);
  });
});

describe('readMeeting', () => {
  const attended = {
    users: [aUser(50), aUser(51)],
    memberships: [{ organizationId: 1, userId: 50, role: 'member', idpId: null } as const],
    meetings: [
      aMeeting(1, { waitList: true }),
      aMeeting(2, { privacy: true }),
      aMeeting(3, { organizationId: null, eapOrganizationIds: [1] }),
    ],
    registrations: [1, 2, 3].flatMap((meetingId) =>
      [50, 51].map((userId) => ({ meetingId, userId, registeredAt: friday })),
    ),
  };

  test('returns a meeting with the organization’s members in it, and only counts the others', async () => {
    const { core } = await startWithMember(attended);
    const { meeting, people } = await core.readMeeting({ organization: berlin, meetingId: 1, page: '1' });
    assert.deepEqual([meeting.seatsTaken, meeting.state, people?.seated], [2, 'upcoming', 1]);
    assert.deepEqual(
      people?.items.map(({ user }) => user.id),
      [50],
    );
  });

  test('names no one in a private meeting, and none of the service', async () => {
    const { core } = await startWithMember(attended);
    for (const meetingId of [2, 3]) {
      const { meeting, people } = await core.readMeeting({ organization: berlin, meetingId });
      assert.deepEqual([meeting.seatsTaken, people], [2, null], String(meetingId));
    }
  });

  test('refuses a meeting that the organization does not see', async () => {
    const { core } = await startWithMember({
      ...attended,
      meetings: [...attended.meetings, aMeeting(4, { organizationId: 2 })],
    });
    const withoutProgram = { ...berlin, eap: false };
    for (const [organization, meetingId] of [
      [berlin, 4],
      [berlin, 5],
      [berlin, 0.5],
      [withoutProgram, 3],
    ] as const)
      await assert.rejects(
        core.readMeeting({ organization, meetingId }),
        (error) => error instanceof Refusal && error.code === 'meeting-not-found',
      );
  });
});
