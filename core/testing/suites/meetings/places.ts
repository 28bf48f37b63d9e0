import type { MeetingDetails, Meetings, Places, WaitingPlace } from '../../../meetings/ports/meetings.js';
import { aMeeting, aMembership, type DatasetMembership } from '../../dataset.js';
import { type ContractTest, expectEqual } from '../../expect.js';
import { minutes, noon } from '../../noon.js';
import type { MakeTest } from '../../start-storage.js';

const member = { organizationId: 1, userId: 1, now: noon };
const membership: DatasetMembership = aMembership(1, { idpId: 'one' });

/** What both methods promise, so that a storage can have one of them only. */
function testsOf(
  test: MakeTest,
  method: 'places' | 'placesOf',
  read: (meetings: Meetings) => Promise<Places | null>,
): readonly ContractTest[] {
  return [
    test(`${method} returns the user’s upcoming meetings of the organization and of the service`, async (storage) => {
      const { meetings, load } = storage;
      const all = [
        aMeeting(1),
        aMeeting(2, { organizationId: null }),
        aMeeting(3, { organizationId: 2 }),
        aMeeting(4, { status: 'cancel' }),
        aMeeting(5, { status: 'complete' }),
        aMeeting(6, { status: 'some_other_status' }),
        aMeeting(7, { endTime: noon }),
        aMeeting(8, { startTime: minutes(-30), endTime: new Date(noon.getTime() + 1) }),
        aMeeting(9),
      ];
      const registeredAt = new Date('2026-11-01T10:00:00.500Z');
      const registrations = all.slice(0, -1).map(({ id }) => ({ meetingId: id, userId: 1, registeredAt }));
      await load({
        memberships: [membership],
        meetings: all,
        registrations: [...registrations, { meetingId: 9, userId: 2, registeredAt }],
      });

      const { registered = [], waiting } = (await read(meetings)) ?? {};
      expectEqual(
        [...registered].sort((one, other) => one.meetingId - other.meetingId),
        [1, 2, 6, 8].map((id) => ({ meetingId: id, startTime: all[id - 1]?.startTime, registeredAt })),
      );
      expectEqual(waiting, []);
    }),

    test(`${method} returns waitlist places of every status, but only while the waitlist is enabled`, async (storage) => {
      const { meetings, load } = storage;
      const statuses = ['waiting', 'accepted', 'rejected', 'offered', 'expired'] as const;
      const open = statuses.map((_, index) => aMeeting(index + 1, { waitList: true }));
      await load({
        memberships: [membership],
        meetings: [...open, aMeeting(10), aMeeting(11, { waitList: true, status: 'cancel' })],
        waitingPlaces: [
          ...statuses.map((status, index) => ({ meetingId: index + 1, userId: 1, status, createdAt: noon })),
          { meetingId: 10, userId: 1, status: 'waiting', createdAt: noon },
          { meetingId: 11, userId: 1, status: 'waiting', createdAt: noon },
        ],
      });
      const { registered, waiting = [] } = (await read(meetings)) ?? {};
      expectEqual(
        waiting.map(withoutEnd).sort((one, other) => one.meetingId - other.meetingId),
        open.map(({ id, startTime }, index) => ({ meetingId: id, startTime, status: statuses[index] })),
      );
      expectEqual(registered, []);
    }),
  ];
}

/** A member's registrations and waitlist places. */
export function placesTests(test: MakeTest): readonly ContractTest[] {
  return [
    ...testsOf(test, 'places', (meetings) => meetings.places(member)),
    ...testsOf(test, 'placesOf', (meetings) =>
      meetings.placesOf({ organizationId: 1, idpId: 'one', now: noon, page: { offset: 0, limit: 100 } }),
    ),

    test('placesOf knows a member of the organization by idpId, and no one else', async (storage) => {
      const { meetings, load } = storage;
      await load({
        memberships: [membership, { ...membership, organizationId: 2, userId: 3, idpId: 'three' }],
        meetings: [aMeeting(1)],
        registrations: [{ meetingId: 1, userId: 3, registeredAt: noon }],
      });
      const of = (idpId: string) =>
        meetings.placesOf({ organizationId: 1, idpId, now: noon, page: { offset: 0, limit: 100 } });
      const none = { registered: [], waiting: [], total: 0, details: [] };
      expectEqual(
        [await of('one'), await of('three'), await of('ONE'), await of('')],
        [none, null, null, null],
      );
    }),

    test('places tells when the offer of a seat ends to the millisecond, and null if that is not known', async (storage) => {
      const { meetings, load } = storage;
      const place = { userId: 1, status: 'offered', createdAt: noon } as const;
      const offeredUntil = new Date('2026-11-20T16:00:00.007Z');
      const all = [1, 2, 3].map((id) => aMeeting(id, { waitList: true }));
      const ends = async () => {
        const { waiting } = await meetings.places(member);
        const inOrder = [...waiting].sort((one, other) => one.meetingId - other.meetingId);
        return inOrder.map((one) => one.offeredUntil);
      };
      await load({
        meetings: all,
        waitingPlaces: [
          { ...place, meetingId: 1, offeredUntil },
          { ...place, meetingId: 2, offeredUntil: null },
          { ...place, meetingId: 3 },
        ],
      });
      expectEqual(await ends(), [offeredUntil, null, null]);
      await load({
        waitingPlaces: [
          { ...place, meetingId: 1 },
          { ...place, meetingId: 2, offeredUntil },
        ],
      });
      expectEqual(await ends(), [null, offeredUntil, null]);
    }),

    test('placesOf returns the same as places if all are on the page, for the member with this idpId, without the ends of offers', async (storage) => {
      const { meetings, load } = storage;
      await load({
        memberships: [membership],
        meetings: [aMeeting(1, { waitList: true }), aMeeting(2, { waitList: true })],
        registrations: [{ meetingId: 1, userId: 1, registeredAt: noon }],
        waitingPlaces: [{ meetingId: 2, userId: 1, status: 'offered', createdAt: noon, offeredUntil: noon }],
      });
      const page = { offset: 0, limit: 100 };
      const found = await meetings.placesOf({ organizationId: 1, idpId: 'one', now: noon, page });
      const { details = [], total, ...places } = found ?? {};
      const { registered, waiting } = await meetings.places(member);
      expectEqual(places, { registered, waiting: waiting.map(withoutEnd) });
      expectEqual(total, 2);
      expectEqual(byId(details), byId(await meetings.details({ organizationId: 1, ids: [1, 2] })));
    }),

    test('placesOf returns the places and details of one page by start time and then id, and the total', async (storage) => {
      const { meetings, load } = storage;
      const starts = [30, 20, 10, 20, 20, 40];
      const all = starts.map((start, index) =>
        aMeeting(index + 1, { startTime: minutes(start), endTime: minutes(90), waitList: true }),
      );
      const place = { userId: 1, createdAt: noon, registeredAt: noon };
      await load({
        memberships: [membership],
        meetings: all,
        // Meeting 4 has both a registration and a waitlist place, and is on the page once.
        registrations: [1, 2, 3, 4].map((meetingId) => ({ ...place, meetingId })),
        waitingPlaces: [4, 5, 6].map((meetingId) => ({ ...place, meetingId, status: 'waiting' as const })),
      });
      const idsOn = async (offset: number, limit: number) => {
        const page = { offset, limit };
        const found = await meetings.placesOf({ organizationId: 1, idpId: 'one', now: noon, page });
        expectEqual(found?.total, 6);
        return {
          registered: ids(found?.registered.map(({ meetingId }) => meetingId)),
          waiting: ids(found?.waiting.map(({ meetingId }) => meetingId)),
          details: ids(found?.details.map(({ id }) => id)),
        };
      };
      const nothing = { registered: [], waiting: [], details: [] };
      expectEqual(await idsOn(0, 1), { registered: [3], waiting: [], details: [3] });
      expectEqual(await idsOn(1, 2), { registered: [2, 4], waiting: [4], details: [2, 4] });
      expectEqual(await idsOn(2, 2), { registered: [4], waiting: [4, 5], details: [4, 5] });
      expectEqual(await idsOn(3, 100), { registered: [1], waiting: [5, 6], details: [1, 5, 6] });
      expectEqual(await idsOn(6, 100), nothing);
      expectEqual(await idsOn(99_999_999_900, 100), nothing);
    }),

    test('seatsSince returns meetings that end after the time, even completed ones, but no canceled ones', async (storage) => {
      const { meetings, load } = storage;
      const all = [
        aMeeting(1),
        aMeeting(2, { organizationId: null }),
        aMeeting(3, { organizationId: 2 }),
        aMeeting(4, { status: 'cancel' }),
        aMeeting(5, { startTime: minutes(-90), endTime: minutes(-59), status: 'complete' }),
        aMeeting(6, { startTime: minutes(-90), endTime: minutes(-60) }),
        aMeeting(7),
      ];
      const registeredAt = new Date('2026-11-01T10:00:00.500Z');
      const registrations = all.slice(0, -1).map(({ id }) => ({ meetingId: id, userId: 1, registeredAt }));
      await load({
        meetings: all,
        registrations: [...registrations, { meetingId: 7, userId: 2, registeredAt }],
      });
      const seats = await meetings.seatsSince({ organizationId: 1, userId: 1, endsAfter: minutes(-60) });
      expectEqual(
        [...seats].sort((one, other) => one.meetingId - other.meetingId),
        [1, 2, 5].map((id) => ({ meetingId: id, startTime: all[id - 1]?.startTime, registeredAt })),
      );
    }),

    test('places and seatsSince return only meetings with the words in their name, topic and host', async (storage) => {
      const { meetings, load } = storage;
      await load({
        meetings: [
          aMeeting(1, { name: 'Schlaf für Väter', topic: 'Sleep', waitList: true }),
          aMeeting(2, { name: 'Other', topic: 'VATER', waitList: true }),
          aMeeting(3, { name: 'Other', topic: 'Other', waitList: true }),
        ],
        registrations: [1, 2, 3].map((meetingId) => ({ meetingId, userId: 1, registeredAt: noon })),
        waitingPlaces: [1, 3].map((meetingId) => ({
          ...{ meetingId, userId: 1, status: 'waiting' as const, createdAt: noon },
        })),
      });
      const found = async (...words: readonly string[]) => {
        const { registered, waiting } = await meetings.places({ ...member, words });
        const endsAfter = new Date(0);
        const seats = await meetings.seatsSince({ organizationId: 1, userId: 1, endsAfter, words });
        return [registered, waiting, seats].map((places) => ids(places.map(({ meetingId }) => meetingId)));
      };
      expectEqual(await found(), [
        [1, 2, 3],
        [1, 3],
        [1, 2, 3],
      ]);
      expectEqual(await found('vater'), [[1, 2], [1], [1, 2]]);
      expectEqual(await found('vater', 'für'), [[1], [1], [1]]);
      expectEqual(await found('dana', 'other'), [[2, 3], [3], [2, 3]]);
    }),

    test('a meeting that is moved is upcoming according to its new end', async ({ meetings, load }) => {
      const past = { startTime: minutes(-120), endTime: minutes(-60) };
      await load({
        meetings: [aMeeting(1, { ...past, waitList: true })],
        registrations: [{ meetingId: 1, userId: 1, registeredAt: noon }],
        waitingPlaces: [{ meetingId: 1, userId: 1, status: 'waiting', createdAt: noon }],
      });
      expectEqual(await meetings.places(member), { registered: [], waiting: [] });

      await load({ meetings: [aMeeting(1, { waitList: true })] });
      const { registered, waiting } = await meetings.places(member);
      expectEqual([registered.length, waiting.length], [1, 1]);
    }),
  ];
}

function withoutEnd({ offeredUntil: _, ...place }: WaitingPlace): WaitingPlace {
  return place;
}

function ids(found: readonly number[] | undefined): readonly number[] | undefined {
  return found && [...found].sort((one, other) => one - other);
}

export function byId(details: readonly MeetingDetails[]): readonly MeetingDetails[] {
  return [...details].sort((one, other) => one.id - other.id);
}
