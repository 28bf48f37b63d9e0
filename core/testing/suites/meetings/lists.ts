import type { MeetingSelection } from '../../../meetings/meeting.js';
import type { FoundMeeting, ListedMeeting, Meetings } from '../../../meetings/ports/meetings.js';
import { aMeeting, aMembership, aUser, type DatasetMeeting } from '../../dataset.js';
import { type ContractTest, expectEqual, expectTrue } from '../../expect.js';
import { hostileTexts } from '../../hostile-texts.js';
import { minutes, noon } from '../../noon.js';
import type { MakeTest } from '../../start-storage.js';

type ListRequest = Parameters<Meetings['list']>[0];

function requestFor(
  selection: Partial<MeetingSelection> = {},
  request: Partial<Omit<ListRequest, 'selection'>> = {},
): ListRequest {
  return {
    selection: {
      ...{ organizationId: 1, withServiceMeetings: true, eapOnly: false, state: 'any' },
      ...{ starts: { from: null, before: null }, updatedSince: null, now: noon },
      ...selection,
    },
    ...{ order: 'earliest', page: { offset: 0, limit: 100 } },
    ...request,
  };
}

async function idsOf(
  meetings: Meetings,
  ...request: Parameters<typeof requestFor>
): Promise<readonly [ids: readonly number[], total: number]> {
  const found = await meetings.list(requestFor(...request));
  return [found.meetings.map(({ id }) => id), found.total];
}

const listed: ListedMeeting = {
  ...{ id: 1, name: 'Meeting 1', startTime: aMeeting(1).startTime, endTime: aMeeting(1).endTime },
  ...{ status: 'scheduled', topic: 'Grief', host: 'Dana K.', maxAttendees: 12, seatsTaken: 2, waiting: 2 },
  ...{ offered: 1, privacy: false, isOfService: false },
};

/** Meetings in every state, of organization 1, of another one, and of the service. */
const inEveryState: readonly DatasetMeeting[] = [
  aMeeting(1, { startTime: minutes(-90), endTime: minutes(-30), status: 'complete' }),
  aMeeting(2, { startTime: minutes(-80), endTime: noon }),
  aMeeting(3, { startTime: minutes(-70), endTime: minutes(1) }),
  aMeeting(4, { startTime: minutes(20), endTime: minutes(80), status: 'cancel' }),
  aMeeting(6, { startTime: minutes(30), endTime: minutes(90), status: 'moved' }),
  aMeeting(5, { startTime: minutes(30), endTime: minutes(90) }),
  aMeeting(7, { startTime: minutes(30), endTime: minutes(90), organizationId: 2 }),
  aMeeting(8, {
    startTime: minutes(30),
    endTime: minutes(90),
    organizationId: null,
    eapOrganizationIds: [1],
  }),
  aMeeting(9, {
    startTime: minutes(30),
    endTime: minutes(90),
    organizationId: null,
    eapOrganizationIds: [3],
  }),
  aMeeting(10, {
    ...{ startTime: minutes(-60), endTime: minutes(-30), status: 'cancel' },
    ...{ organizationId: null, eapOrganizationIds: [1] },
  }),
];

/** Seats of the leader (1), of two members (2, 3) and of a stranger (4), and places on the waitlist of all others. */
const attended = {
  users: [4, 5, 6, 7, 8].map((id) => aUser(id)),
  memberships: [1, 2, 3, 5, 6, 7].map((id) => aMembership(id)),
  meetings: [
    aMeeting(1, { groupLeaderId: 1, waitList: true }),
    aMeeting(2, { groupLeaderId: 1 }),
    aMeeting(3, { organizationId: null, eapOrganizationIds: [1], groupLeaderId: 1, waitList: true }),
  ],
  registrations: [1, 2, 3].flatMap((meetingId) =>
    ([1, 3, 2, 4] as const).map((userId, index) => ({
      ...{ meetingId, userId, registeredAt: minutes(userId === 2 ? 1 : index) },
    })),
  ),
  waitingPlaces: [1, 2, 3].flatMap((meetingId) =>
    (
      [
        [2, 'waiting'],
        [5, 'waiting'],
        [6, 'offered'],
        [7, 'expired'],
        [8, 'waiting'],
      ] as const
    ).map(([userId, status]) => ({
      ...{ meetingId, userId, status, createdAt: minutes(10 - userId) },
      offeredUntil: userId === 7 ? noon : null,
    })),
  ),
};

/** The list of an organization's meetings, one of them, and the people in it. */
export function listsTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('list returns a page of the selected meetings by start time and then id, in both directions, with their number', async (storage) => {
      const { meetings, load } = storage;
      await load({ meetings: inEveryState });
      const all = [1, 2, 3, 10, 4, 5, 6, 8];
      expectEqual(await idsOf(meetings), [all, 8]);
      expectEqual(await idsOf(meetings, {}, { order: 'latest' }), [all.toReversed(), 8]);
      expectEqual(await idsOf(meetings, {}, { page: { offset: 3, limit: 3 } }), [[10, 4, 5], 8]);
      const back = { order: 'latest', page: { offset: 1, limit: 2 } } as const;
      expectEqual(await idsOf(meetings, {}, back), [[6, 5], 8]);
      expectEqual(await idsOf(meetings, {}, { page: { offset: 99_999_999_900, limit: 100 } }), [[], 8]);
      expectEqual(await idsOf(meetings, { withServiceMeetings: false }), [[1, 2, 3, 4, 5, 6], 6]);
      expectEqual(await idsOf(meetings, { organizationId: 2 }), [[7], 1]);
    }),

    test('list selects meetings by their state and start', async ({ meetings, load }) => {
      await load({ meetings: inEveryState });
      expectEqual(await idsOf(meetings, { state: 'past' }), [[1], 1]);
      expectEqual(await idsOf(meetings, { state: 'upcoming' }), [[3, 5, 6, 8], 4]);
      expectEqual(await idsOf(meetings, { state: 'canceled' }), [[10, 4], 2]);
      expectEqual(await idsOf(meetings, { state: 'canceled' }, { order: 'latest' }), [[4, 10], 2]);
      expectEqual(await idsOf(meetings, { state: 'canceled' }, { page: { offset: 1, limit: 1 } }), [[4], 2]);
      expectEqual(await idsOf(meetings, { state: 'canceled' }, { page: { offset: 2, limit: 1 } }), [[], 2]);
      expectEqual(await idsOf(meetings, { state: 'ended' }), [[2], 1]);
      const starts = { from: minutes(-80), before: minutes(30) };
      expectEqual(await idsOf(meetings, { starts }), [[2, 3, 10, 4], 4]);
      expectEqual(await idsOf(meetings, { starts, state: 'canceled', withServiceMeetings: false }), [[4], 1]);
    }),

    test('list counts the canceled ones of the selected meetings on all pages', async ({
      meetings,
      load,
    }) => {
      await load({ meetings: inEveryState });
      const numbersOf = async (...request: Parameters<typeof requestFor>) => {
        const { total, canceled } = await meetings.list(requestFor(...request));
        return [total, canceled];
      };
      expectEqual(await numbersOf(), [8, 2]);
      expectEqual(await numbersOf({}, { page: { offset: 7, limit: 1 } }), [8, 2]);
      expectEqual(await numbersOf({}, { page: { offset: 8, limit: 1 } }), [8, 2]);
      expectEqual(await numbersOf({ withServiceMeetings: false }), [6, 1]);
      expectEqual(await numbersOf({ organizationId: 2 }), [1, 0]);
      expectEqual(await numbersOf({ starts: { from: minutes(-60), before: minutes(20) } }), [1, 1]);
      const states = ['past', 'upcoming', 'ended', 'canceled'] as const;
      const ofStates = await Promise.all(states.map((state) => numbersOf({ state })));
      expectEqual(ofStates, [
        [1, 0],
        [4, 0],
        [1, 0],
        [2, 2],
      ]);
      const page = { offset: 0, limit: 1 };
      expectEqual(await numbersOf({}, { words: ['meeting'], page }), [8, 2]);
      expectEqual(await numbersOf({}, { words: ['meeting', '1'], page }), [2, 1]);
      expectEqual(await numbersOf({}, { words: ['meeting', '5'], page }), [1, 0]);
    }),

    test('list finds parts of names, topics and hosts in any case, with any accents, and no character is a wildcard', async (storage) => {
      const { meetings, load } = storage;
      const named = [
        ['Grief circle', 'Trauer', 'Jörg Ö.'],
        ['TOMÁS & friends', '100%', 'a_b*c'],
        ['Сон', 'Stress', 'نور'],
        ['<b>Sleep</b> [x-z]', 'c:\\d', 'Sørensen'],
        ['grief', 'other', 'other', { organizationId: null, eapOrganizationIds: [1] }],
        ['grief', 'other', 'other', { organizationId: 2 }],
      ] as const;
      await load({
        meetings: named.map(([name, topic, host, more = {}], index) =>
          aMeeting(index, { id: index + 10, name, topic, host, ...more }),
        ),
      });
      const find = async (...words: readonly string[]) => {
        const [ids, total] = await idsOf(meetings, {}, { words });
        expectEqual(total, ids.length);
        return ids.map((id) => id - 10);
      };
      const searches: readonly (readonly [words: readonly string[], found: readonly number[]])[] = [
        [[], [0, 1, 2, 3, 4]],
        [['GRIEF'], [0, 4]],
        [['grief', 'trau'], [0]],
        [['jorg'], [0]],
        [['tomas'], [1]],
        [['TOMÁS'], [1]],
        [['%'], [1]],
        [['_'], [1]],
        [['*'], [1]],
        [['сОН'], [2]],
        [['نور'], [2]],
        [['<b>'], [3]],
        [['[x-z]'], [3]],
        [['\\'], [3]],
        [['sorensen'], [3]],
        [['.'], [0]],
        [["'"], []],
        [['e'], [0, 1, 2, 3, 4]],
        [['cle', 'ircle'], [0]],
      ];
      for (const [words, found] of searches) expectEqual([words, await find(...words)], [words, found]);
      for (const text of hostileTexts) {
        const words = text.slice(0, 300).split(/\s+/).filter(Boolean);
        expectTrue((await find(...words)).length <= named.length, `more than all for ${text}`);
      }
      const page = { offset: 1, limit: 1 };
      expectEqual(await idsOf(meetings, {}, { words: ['grief'], page }), [[14], 2]);
      expectEqual(await idsOf(meetings, {}, { words: ['grief'], order: 'latest', page }), [[10], 2]);
      expectEqual(await idsOf(meetings, { state: 'upcoming' }, { words: ['grief'] }), [[10, 14], 2]);
      expectEqual(await idsOf(meetings, { state: 'past' }, { words: ['grief'] }), [[], 0]);
    }),

    test('list counts the seats without the leader’s, and who waits or is offered a seat and has none', async (storage) => {
      const { meetings, load } = storage;
      await load(attended);
      const { meetings: found } = await meetings.list(requestFor({ withServiceMeetings: false }));
      expectEqual(found, [
        { ...listed, seatsTaken: 3, waiting: 3 },
        { ...listed, id: 2, name: 'Meeting 2', seatsTaken: 3, waiting: 0, offered: 0 },
      ]);
    }),

    test('find returns all of a meeting of the organization, and of a tied one of the service if requested', async (storage) => {
      const { meetings, load } = storage;
      const whole = aMeeting(1, {
        ...{
          meetingType: 'OneToOne',
          duration: 45,
          specialFocus: 'Shift work',
          location: 'Room 4',
          price: 12.5,
        },
        ...{ description: 'Bring tea', groupLeaderId: 1, privacy: true, eap: true, waitList: true },
        ...{ allowMeetingDonation: true, invitationOnly: true, status: 'complete', updatedAt: minutes(3) },
      });
      const { organizationId: _organization, eapOrganizationIds: _ties, ...facts } = whole;
      const tied = { organizationId: null, eapOrganizationIds: [1] };
      await load({ meetings: [whole, aMeeting(2, tied), aMeeting(3, { organizationId: 2 })] });
      await load({
        registrations: [{ meetingId: 1, userId: 2, registeredAt: noon }],
        waitingPlaces: [{ meetingId: 1, userId: 3, status: 'waiting', createdAt: noon }],
      });
      const find = (meetingId: number, request: object = {}) =>
        meetings.find({ organizationId: 1, withServiceMeetings: true, meetingId, ...request });
      const expected: FoundMeeting = {
        ...{ ...facts, seatsTaken: 1, waiting: 1, offered: 0, isOfService: false },
        groupLeader: { id: 1, firstName: 'First1', lastName: 'Last1' },
      };
      expectEqual(await find(1), expected);
      const service = await find(2);
      expectEqual([service?.isOfService, service?.groupLeader, service?.price], [true, null, null]);
      const unseen = [
        await find(2, { withServiceMeetings: false }),
        await find(2, { organizationId: 3 }),
        await find(3),
        await find(1, { organizationId: 2 }),
        await find(4),
      ];
      expectEqual(unseen, [null, null, null, null, null]);
    }),

    test('attendees returns members with a seat by when they got it, then those who wait without one, with their number', async (storage) => {
      const { meetings, load } = storage;
      await load(attended);
      const read = async (meetingId: number, offset = 0, limit = 10, organizationId = 1) => {
        const page = await meetings.attendees({ organizationId, meetingId, offset, limit });
        return [page.attendees.map(({ user }) => user.id), page.total, page.seated];
      };
      expectEqual(await read(1), [[2, 3, 7, 6, 5], 5, 2]);
      expectEqual(await read(1, 1, 2), [[3, 7], 5, 2]);
      expectEqual(await read(1, 5, 2), [[], 5, 2]);
      expectEqual(await read(2), [[2, 3], 2, 2]);
      expectEqual([await read(3), await read(1, 0, 10, 2), await read(9)], Array(3).fill([[], 0, 0]));
      const page = { organizationId: 1, meetingId: 1, offset: 0, limit: 3 };
      const { attendees } = await meetings.attendees(page);
      const named = (id: number) => ({ id, firstName: `First${id}`, lastName: `Last${id}` });
      expectEqual(attendees, [
        { user: named(2), registeredAt: minutes(1), waitingStatus: null, offeredUntil: null },
        { user: named(3), registeredAt: minutes(1), waitingStatus: null, offeredUntil: null },
        { user: named(7), registeredAt: null, waitingStatus: 'expired', offeredUntil: noon },
      ]);
    }),
  ];
}
