import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCore, type Organization, Refusal } from '@rollcall/core';
import { aMeeting, anOrganization, aUser, type Dataset, memoryPorts } from '@rollcall/core/testing';

const now = new Date('2026-11-20T12:00:00.000Z');
const day = 24 * 60 * 60 * 1000;
const member = { organizationId: 1, userId: 1 };

describe('A calendar feed', () => {
  test('has an address that is shown once and of which the database has no more than a hash', async () => {
    const { core, ports } = await started({});
    assert.equal(await core.findCalendarFeed(member), null);
    const { url, createdAt } = await core.createCalendarFeed(member);
    assert.match(url, /^https:\/\/service\.test\/calendar\/calendar-\d+$/);
    assert.deepEqual(await core.findCalendarFeed(member), { createdAt });
    const token = tokenOf(url);
    assert.equal(await ports.calendarFeeds.find(token), null);
    const { organization, meetings } = await core.readCalendarFeed({ token });
    assert.deepEqual([organization, meetings], [{ id: 1, name: 'Organization 1' }, []]);
  });

  test('dies when a new one is opened, when it is revoked, and with the membership', async () => {
    const { core, ports } = await started({});
    const first = tokenOf((await core.createCalendarFeed(member)).url);
    const second = tokenOf((await core.createCalendarFeed(member)).url);
    await assert.rejects(core.readCalendarFeed({ token: first }), isUnknown);
    await core.readCalendarFeed({ token: second });
    assert.equal(await core.revokeCalendarFeed(member), true);
    assert.equal(await core.revokeCalendarFeed(member), false);
    await assert.rejects(core.readCalendarFeed({ token: second }), isUnknown);

    const third = tokenOf((await core.createCalendarFeed(member)).url);
    const gone = createCore(
      { ...ports, members: { ...ports.members, byUserId: async () => null } },
      { links },
    );
    await assert.rejects(gone.readCalendarFeed({ token: third }), isUnknown);
  });

  test('is nothing for a token of another purpose or for nonsense', async () => {
    const { core, ports } = await started({});
    await core.createCalendarFeed(member);
    const { token } = ports.secrets.newToken('login-link');
    for (const wrong of [token.reveal(), '', 'calendar', 'x'.repeat(5000)]) {
      await assert.rejects(core.readCalendarFeed({ token: wrong }), isUnknown);
    }
  });

  test('is for members only, and needs to be told where it is', async () => {
    const { core, ports } = await started({});
    await assert.rejects(
      core.createCalendarFeed({ organizationId: 2, userId: 1 }),
      refusedAs('member-not-found'),
    );
    const { calendar, ...others } = links;
    const unassembled = createCore(ports, { links: others });
    await assert.rejects(unassembled.createCalendarFeed(member), /The setting links\.calendar is needed/);
    assert.equal(await core.findCalendarFeed(member), null);
  });

  test('holds seats from 30 days back and places in the queue, in order, with what they are', async () => {
    const at = (days: number, minutes = 0) => ({
      startTime: new Date(now.getTime() + days * day - 60_000),
      endTime: new Date(now.getTime() + days * day + minutes * 60_000),
    });
    const { core } = await started({
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
    const { meetings } = await core.readCalendarFeed({ token });
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
        refusedAs('meeting-not-found'),
        String(meetingId),
      );
    }
    await assert.rejects(
      core.readCalendarMeeting({ organizationId: 2, userId: 1, meetingId: 1 }),
      refusedAs('member-not-found'),
    );
  });

  test('holds a thousand at most, the earliest', async () => {
    const ids = Array.from({ length: 1005 }, (_, index) => index + 1);
    const { core } = await started({
      meetings: ids.map((id) => {
        const startTime = new Date(now.getTime() + id * 60_000);
        return aMeeting(id, { startTime, endTime: new Date(startTime.getTime() + 60_000) });
      }),
      registrations: ids.map((meetingId) => ({ meetingId, userId: 1, registeredAt: now })),
    });
    const { meetings } = await core.readCalendarFeed({
      token: tokenOf((await core.createCalendarFeed(member)).url),
    });
    assert.deepEqual(
      meetings.map(({ id }) => id),
      ids.slice(0, 1000),
    );
  });
});

describe('summarizeMeetings', () => {
  const berlin: Organization = {
    id: 1,
    name: 'One',
    eap: true,
    timeZone: 'Europe/Berlin',
    accessKeyGeneration: 0,
  };

  test('has the weeks of the organization’s zone without gaps, over a change of the clocks and of the year', async () => {
    const { core, clock } = await started({});
    clock.set(new Date('2026-10-18T22:30:00.000Z'));
    const { timeZone, weeks } = await core.summarizeMeetings({
      organization: berlin,
      weeksBefore: 1,
      weeksAfter: 2,
    });
    assert.equal(timeZone, 'Europe/Berlin');
    assert.deepEqual(
      weeks.map(({ week, monday, from, isCurrent }) => [week, monday, from.toISOString(), isCurrent]),
      [
        ['2026-W42', '2026-10-12', '2026-10-11T22:00:00.000Z', false],
        ['2026-W43', '2026-10-19', '2026-10-18T22:00:00.000Z', true],
        ['2026-W44', '2026-10-26', '2026-10-25T23:00:00.000Z', false],
        ['2026-W45', '2026-11-02', '2026-11-01T23:00:00.000Z', false],
      ],
    );
    for (const [index, { before }] of weeks.entries()) {
      assert.deepEqual(before, weeks[index + 1]?.from ?? new Date('2026-11-08T23:00:00.000Z'));
    }
    clock.set(new Date('2027-01-02T12:00:00.000Z'));
    const newYear = await core.summarizeMeetings({
      organization: { ...berlin, timeZone: null },
      weeksBefore: 0,
      weeksAfter: 1,
    });
    assert.equal(newYear.timeZone, 'UTC');
    assert.deepEqual(
      newYear.weeks.map(({ week }) => week),
      ['2026-W53', '2027-W01'],
    );
  });

  test('counts what starts in the week, the tied service meetings where there is a program', async () => {
    const { core } = await started({
      meetings: [
        aMeeting(1, { startTime: new Date('2026-11-15T22:59:59.999Z') }),
        aMeeting(2, { startTime: new Date('2026-11-15T23:00:00.000Z'), groupLeaderId: 2 }),
        aMeeting(3, {
          startTime: new Date('2026-11-20T09:00:00.000Z'),
          organizationId: null,
          eapOrganizationIds: [1],
        }),
        aMeeting(4, { startTime: new Date('2026-11-20T09:00:00.000Z'), status: 'cancel' }),
      ],
      registrations: [1, 2].map((userId) => ({ meetingId: 2, userId, registeredAt: now })),
    });
    const counts = async (organization: Organization) =>
      (await core.summarizeMeetings({ organization, weeksBefore: 1, weeksAfter: 0 })).weeks.map(
        ({ meetings, seatsOffered, seatsTaken }) => [meetings, seatsOffered, seatsTaken],
      );
    assert.deepEqual(await counts(berlin), [
      [1, 12, 0],
      [2, 24, 1],
    ]);
    assert.deepEqual(await counts({ ...berlin, eap: false }), [
      [1, 12, 0],
      [1, 12, 1],
    ]);
  });

  test('shows eight weeks to either side where nothing is said, and a year at most', async () => {
    const { core } = await started({});
    const count = async (weeks: unknown) =>
      (await core.summarizeMeetings({ organization: berlin, weeksBefore: weeks, weeksAfter: weeks })).weeks
        .length;
    assert.deepEqual(
      [await count(undefined), await count('x'), await count('1000'), await count(-5)],
      [17, 17, 105, 1],
    );
  });
});

const links = {
  invitation: () => '',
  login: () => '',
  calendar: (token: { reveal(): string }) => `https://service.test/calendar/${token.reveal()}`,
  defaultAvatar: '',
};

async function started(dataset: Dataset) {
  const { ports, load, clock } = memoryPorts();
  await load({
    organizations: [anOrganization(1), anOrganization(2)],
    users: [aUser(1), aUser(2)],
    memberships: [{ organizationId: 1, userId: 1, role: 'member', idpId: null }],
  });
  await load(dataset);
  return { core: createCore(ports, { links }), ports, clock };
}

function tokenOf(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}

function isUnknown(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'calendar-feed-unknown';
}

function refusedAs(code: string) {
  return (error: unknown) => error instanceof Refusal && error.code === code;
}
