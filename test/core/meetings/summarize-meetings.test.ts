import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Organization } from '@rollcall/core';
import { aMeeting } from '@rollcall/core/testing';
import { now, startWithMember } from '../../support/core/calendar-core.js';

describe('summarizeMeetings', () => {
  const berlin: Organization = {
    id: 1,
    name: 'One',
    eap: true,
    timeZone: 'Europe/Berlin',
    accessKeyGeneration: 0,
    previousAccessKey: null,
  };

  test('lists weeks in the organization’s time zone without gaps, across clock changes and new year', async () => {
    const { core, clock } = await startWithMember({});
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

  test('counts meetings that start in the week, with the tied service meetings if there is a program', async () => {
    const { core } = await startWithMember({
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

  test('shows eight weeks before and after by default, and a year at most', async () => {
    const { core } = await startWithMember({});
    const count = async (weeks: unknown) =>
      (await core.summarizeMeetings({ organization: berlin, weeksBefore: weeks, weeksAfter: weeks })).weeks
        .length;
    assert.deepEqual(
      [await count(undefined), await count('x'), await count('1000'), await count(-5)],
      [17, 17, 105, 1],
    );
  });
});
