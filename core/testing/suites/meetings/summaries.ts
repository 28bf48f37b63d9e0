import { aMeeting } from '../../dataset.js';
import { type ContractTest, each, expectEqual } from '../../expect.js';
import { minutes, noon } from '../../noon.js';
import type { MakeTest } from '../../start-storage.js';

export function summaryTests(test: MakeTest): readonly ContractTest[] {
  const ranges = [
    { from: minutes(-60), before: noon },
    { from: noon, before: minutes(60) },
    { from: minutes(60), before: minutes(60) },
  ];
  const none = { meetings: 0, seatsOffered: 0, seatsTaken: 0 };
  return [
    test('summarize counts meetings and seats of each half-open range, without canceled meetings and group leaders', async (storage) => {
      const { meetings, load } = storage;
      await load({
        meetings: [
          aMeeting(1, { startTime: minutes(-60), maxAttendees: 5, groupLeaderId: 1, status: 'complete' }),
          aMeeting(2, { startTime: minutes(-1), maxAttendees: 0 }),
          aMeeting(3, { startTime: noon, maxAttendees: 2_147_483_647 }),
          aMeeting(4, { startTime: noon, maxAttendees: 2_147_483_647, status: 'odd' }),
          aMeeting(5, { startTime: noon, maxAttendees: 7, status: 'cancel' }),
          aMeeting(6, { startTime: minutes(60), maxAttendees: 7 }),
          aMeeting(7, { startTime: minutes(-61), maxAttendees: 7 }),
          aMeeting(8, { startTime: noon, maxAttendees: 7, organizationId: 2 }),
        ],
        registrations: [1, 2, 3, 5, 8].flatMap((meetingId) =>
          [1, 2, 3].map((userId) => ({ meetingId, userId, registeredAt: noon })),
        ),
      });
      expectEqual(await meetings.summarize({ organizationId: 1, withServiceMeetings: false, ranges }), [
        { meetings: 2, seatsOffered: 5, seatsTaken: 5 },
        { meetings: 2, seatsOffered: 4_294_967_294, seatsTaken: 3 },
        none,
      ]);
      const wide = { from: minutes(-60), before: minutes(60) };
      const other = { organizationId: 2, withServiceMeetings: false, ranges: [wide, wide] };
      expectEqual(each(await meetings.summarize(other), 'meetings'), [1, 1]);
      expectEqual(await meetings.summarize({ organizationId: 1, withServiceMeetings: true, ranges: [] }), []);
    }),

    test('summarize includes the service meetings that are tied to the organization, if requested', async (storage) => {
      const { meetings, load } = storage;
      const own = { startTime: noon, maxAttendees: 1 };
      await load({
        meetings: [
          aMeeting(1, own),
          aMeeting(2, { ...own, organizationId: null, eapOrganizationIds: [1, 3] }),
          aMeeting(3, { ...own, organizationId: null, eapOrganizationIds: [3], status: 'cancel' }),
          aMeeting(4, { ...own, organizationId: null }),
        ],
        registrations: [{ meetingId: 2, userId: 1, registeredAt: noon }],
      });
      const summary = async (organizationId: number, withServiceMeetings: boolean) =>
        (await meetings.summarize({ organizationId, withServiceMeetings, ranges }))[1];
      expectEqual(await summary(1, true), { meetings: 2, seatsOffered: 2, seatsTaken: 1 });
      expectEqual(await summary(1, false), { meetings: 1, seatsOffered: 1, seatsTaken: 0 });
      expectEqual(await summary(3, true), { meetings: 1, seatsOffered: 1, seatsTaken: 1 });
      expectEqual(await summary(2, true), none);
    }),
  ];
}
