import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCore, type ExportParameters, type Organization, Refusal } from '@rollcall/core';
import {
  chooseColumns,
  durationText,
  exportColumns,
  isCompleted,
  isUpcoming,
  isWithin,
  leaderName,
  mergePlaces,
  minutesBetween,
  selectMeetings,
} from '@rollcall/core/rules';
import { aMeeting, anOrganization, aUser, type Dataset, memoryPorts } from '@rollcall/core/testing';

const now = new Date('2026-11-20T12:00:00.000Z');
const organization: Organization = {
  id: 1,
  name: 'Northwind',
  eap: false,
  timeZone: null,
  accessKeyGeneration: 1,
};

describe('Which meetings count', () => {
  const meeting = (endTime: Date, status: string) => ({ endTime, status });
  const soon = new Date(now.getTime() + 1);

  test('upcoming is not yet ended and neither complete nor cancelled; any other status is open', () => {
    assert.equal(isUpcoming(meeting(soon, 'scheduled'), now), true);
    assert.equal(isUpcoming(meeting(soon, 'anything'), now), true);
    assert.equal(isUpcoming(meeting(now, 'scheduled'), now), false);
    assert.equal(isUpcoming(meeting(soon, 'complete'), now), false);
    assert.equal(isUpcoming(meeting(soon, 'cancel'), now), false);
  });

  test('past is complete, whenever it was', () => {
    assert.equal(isCompleted(meeting(soon, 'complete')), true);
    assert.equal(isCompleted(meeting(now, 'scheduled')), false);
  });

  test('a range is half-open', () => {
    assert.equal(isWithin(now, { from: now, before: soon }), true);
    assert.equal(isWithin(soon, { from: now, before: soon }), false);
    assert.equal(isWithin(now, { from: soon, before: null }), false);
    assert.equal(isWithin(now, { from: null, before: null }), true);
  });
});

describe('duration', () => {
  test('is said in hours and minutes', () => {
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

describe('group leader', () => {
  test('is named by first name and last initial', () => {
    const name = (firstName: string, lastName: string) => leaderName({ firstName, lastName });
    assert.deepEqual(
      [
        name('Dana', 'Kim'),
        name('Ana', 'ñandú'),
        name('Yui', '😀x'),
        name('Madonna', ''),
        name('Al', ' de Wit'),
      ],
      ['Dana K.', 'Ana Ñ.', 'Yui 😀.', 'Madonna', 'Al D.'],
    );
  });
});

describe('the merge of registered and waiting places', () => {
  const at = (minute: number): Date => new Date(now.getTime() + minute * 60_000);

  test('lists a meeting once, though the member is both registered and waitlisted', () => {
    const merged = mergePlaces(
      [{ meetingId: 2, startTime: at(5), registeredAt: now }],
      [{ meetingId: 2, startTime: at(5), status: 'offered' }],
    );
    assert.deepEqual(merged, [
      { meetingId: 2, startTime: at(5), registeredAt: now, waitingStatus: 'offered' },
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

describe('export_meetings', () => {
  const select = (parameters: Omit<ExportParameters, 'columns'>, given: Partial<Organization> = {}) =>
    selectMeetings({ ...organization, ...given }, parameters, { now, reportingTimeZone: 'UTC' });

  test('reporting_days left out or all means completed meetings only', () => {
    for (const reportingDays of [undefined, '', 'all', 'all_past']) {
      assert.equal(select({ reportingDays }).state, 'past');
    }
    assert.equal(select({ reportingDays: 'all_upcoming' }).state, 'upcoming');
    assert.equal(select({ reportingDays: 'today' }).state, 'any');
  });

  test('the zone is time_zone, else the organization’s own, else the service’s', () => {
    const from = (parameters: Omit<ExportParameters, 'columns'>, timeZone: string | null) =>
      select({ reportingDays: 'today', ...parameters }, { timeZone }).starts.from?.toISOString();
    assert.equal(from({}, null), '2026-11-20T00:00:00.000Z');
    assert.equal(from({}, 'Asia/Tokyo'), '2026-11-19T15:00:00.000Z');
    assert.equal(from({ timeZone: 'America/New_York' }, 'Asia/Tokyo'), '2026-11-20T05:00:00.000Z');
  });

  test('eap: service meetings only for an organization that runs a program, eap_meetings only those marked', () => {
    assert.equal(select({}).withServiceMeetings, false);
    assert.equal(select({}, { eap: true }).withServiceMeetings, true);
    assert.equal(select({ reportType: 'eap_meetings' }).eapOnly, true);
    assert.equal(select({ reportType: 'all_meetings' }).eapOnly, false);
  });

  test('start_time or end_time alone has no effect, except with custom', () => {
    const start = '11/20/2026 06:00 PM';
    assert.deepEqual(select({ startTime: start }).starts, { from: null, before: null });
    assert.deepEqual(select({ endTime: start }).starts, { from: null, before: null });
    for (const parameters of [{ startTime: start }, { endTime: start }, {}]) {
      assert.throws(
        () => select({ ...parameters, reportingDays: 'custom' }),
        isInvalid(/^A custom range needs both/),
      );
    }
  });

  test('an unknown preset, report type, column or zone is refused by name with what is allowed', () => {
    assert.throws(
      () => select({ reportingDays: 'yesterday' }),
      isInvalid(/^reportingDays .*all_upcoming, today/),
    );
    assert.throws(() => select({ reportType: 'x' }), isInvalid(/^reportType .*all_meetings, eap_meetings/));
    assert.throws(() => select({ timeZone: 'x' }), isInvalid(/^timeZone /));
    assert.throws(() => select({ startTime: 'x' }), isInvalid(/^startTime /));
  });

  test('every mistake is told at once', () => {
    const attempt = () =>
      select({
        reportingDays: 'x',
        reportType: 'x',
        timeZone: 'x',
        startTime: '02/30/2026 01:00 PM',
        endTime: '03/01/2026 13:00 PM',
      });
    assert.throws(
      attempt,
      (error) =>
        error instanceof Refusal &&
        error.problems.map(({ field }) => field).join() ===
          'reportingDays,reportType,timeZone,startTime,endTime',
    );
  });

  test('columns: an unknown one is refused by name, none is an empty answer, duplicates collapse', async () => {
    const { core } = await started({ meetings: [aMeeting(1, { status: 'complete' })] });
    await assert.rejects(
      core.exportMeetings({ organization, columns: ['name', 'password'] }),
      isInvalid(/^columns: "password" is not one of name, meeting_type, start_time/),
    );
    const none = await core.exportMeetings({ organization, columns: [], page: 1 });
    assert.deepEqual([none.metadata, await textOf(none.chunks)], [null, '']);
    const twice = await core.exportMeetings({ organization, columns: ['name', 'status', 'name'] });
    assert.equal(await textOf(twice.chunks), '{"name":"Meeting 1","status":"complete"}');
  });

  test('page or per_page paginates, with integers for metadata', async () => {
    const meetings = Array.from({ length: 5 }, (_, index) => aMeeting(index + 1, { status: 'complete' }));
    const { core } = await started({ meetings });
    const page = await core.exportMeetings({ organization, columns: ['name'], page: '2', perPage: '2' });
    assert.deepEqual(page.metadata, { page: 2, perPage: 2, totalPages: 3, totalCount: 5 });
    assert.equal(await textOf(page.chunks), '{"name":"Meeting 3"},{"name":"Meeting 4"}');
    const byDefault = await core.exportMeetings({ organization, columns: ['name'], page: 'x' });
    assert.deepEqual(byDefault.metadata, { page: 1, perPage: 100, totalPages: 1, totalCount: 5 });
    const clamped = await core.exportMeetings({ organization, columns: ['name'], perPage: 500 });
    assert.equal(clamped.metadata?.perPage, 100);
  });

  test('a column that is asked for twice comes once, where it was asked for first', () => {
    const keys = chooseColumns(['status', 'name', 'status']).map(({ key }) => key);
    assert.deepEqual(keys, ['status', 'name']);
  });

  test('the columns are those of the specification, in its order', () => {
    assert.equal(exportColumns.length, 18);
    assert.deepEqual(
      exportColumns.filter(({ key, as }) => key !== as).map(({ key, as }) => [key, as]),
      [['group_leader_id', 'group_leader']],
    );
  });
});

describe('upcoming_meetings', () => {
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

  test('merges both kinds of places, and a waitlist that is switched off does not count', async () => {
    const { core } = await started(dataset);
    const list = await core.listUpcomingMeetings({ organization, idpId: 'idp-1' });
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

  test('no member with the idp_id is refused with the name of the service', async () => {
    const { core } = await started(dataset);
    for (const idpId of ['nobody', 'idp-1\0', '\ud800', '']) {
      await assert.rejects(
        core.listUpcomingMeetings({ organization, idpId }),
        (error) =>
          error instanceof Refusal &&
          error.code === 'member-not-found' &&
          error.message === 'User not found on Acme',
      );
    }
  });

  test('a page past the end is empty and keeps its totals', async () => {
    const { core } = await started(dataset);
    const list = await core.listUpcomingMeetings({ organization, idpId: 'idp-1', page: 9, items: 1 });
    assert.deepEqual(list, { currentPage: 9, items: 1, totalItems: 2, totalPages: 2, meetings: [] });
  });

  test('a member without meetings has no pages', async () => {
    const { core } = await started(dataset);
    const list = await core.listUpcomingMeetings({ organization, idpId: 'idp-2' });
    assert.deepEqual(list, { currentPage: 1, items: 10, totalItems: 0, totalPages: 0, meetings: [] });
  });

  test('the own page is for members of the organization only', async () => {
    const { core } = await started(dataset);
    assert.equal((await core.listOwnMeetings({ organizationId: 1, userId: 1 })).totalItems, 2);
    await assert.rejects(core.listOwnMeetings({ organizationId: 2, userId: 1 }), Refusal);
  });
});

async function started(dataset: Dataset) {
  const { ports, load } = memoryPorts();
  await load({ organizations: [anOrganization(1), anOrganization(2)], users: [aUser(1), aUser(2)] });
  await load({
    memberships: [1, 2].map((userId) => ({
      organizationId: 1,
      userId,
      role: 'member',
      idpId: `idp-${userId}`,
    })),
  });
  await load(dataset);
  const links = { invitation: () => '', login: () => '', defaultAvatar: 'https://service.test/avatar.svg' };
  return { core: createCore(ports, { serviceName: 'Acme', links }) };
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += Buffer.from(chunk).toString();
  return text;
}

function isInvalid(message: RegExp) {
  return (error: unknown) =>
    error instanceof Refusal && error.code === 'invalid-request' && message.test(error.message);
}
