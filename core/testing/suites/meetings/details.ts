import type { MeetingDetails } from '../../../meetings/ports/meetings.js';
import { aMeeting, aUser } from '../../dataset.js';
import { type ContractTest, each, expectEqual } from '../../expect.js';
import { noon } from '../../noon.js';
import type { MakeTest } from '../../start-storage.js';
import { byId } from './places.js';

export function detailsTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('details counts the registrations without the group leader', async ({ meetings, load }) => {
      await load({
        users: [aUser(1, { avatar: 'https://pictures.example/1.png', lastName: 'Ōe' })],
        meetings: [aMeeting(1, { groupLeaderId: 1, description: 'All are welcome' }), aMeeting(2)],
        registrations: [1, 2, 3].map((userId) => ({ meetingId: 1, userId, registeredAt: noon })),
      });
      const found = await meetings.details({ organizationId: 1, ids: [2, 1] });
      const expected: MeetingDetails = {
        id: 1,
        name: 'Meeting 1',
        startTime: aMeeting(1).startTime,
        endTime: aMeeting(1).endTime,
        topic: 'Grief',
        description: 'All are welcome',
        location: 'zoom',
        maxAttendees: 12,
        registeredAttendees: 2,
        groupLeader: { id: 1, firstName: 'First1', lastName: 'Ōe', avatar: 'https://pictures.example/1.png' },
        showsNames: true,
      };
      expectEqual(byId(found), [
        expected,
        {
          ...expected,
          id: 2,
          name: 'Meeting 2',
          description: null,
          registeredAttendees: 0,
          groupLeader: null,
        },
      ]);
    }),

    test('details tells that names are shown in own meetings that are not private', async ({
      meetings,
      load,
    }) => {
      await load({
        meetings: [aMeeting(1), aMeeting(2, { privacy: true }), aMeeting(3, { organizationId: null })],
      });
      const found = await meetings.details({ organizationId: 1, ids: [1, 2, 3] });
      expectEqual(each(byId(found), 'showsNames'), [true, false, false]);
    }),

    test('details leaves out meetings that do not exist or belong to another organization', async (storage) => {
      const { meetings, load } = storage;
      await load({ meetings: [aMeeting(1, { organizationId: 2 }), aMeeting(2, { organizationId: null })] });
      const found = await meetings.details({ organizationId: 1, ids: [1, 2, 3] });
      expectEqual(each(found, 'id'), [2]);
      expectEqual(await meetings.details({ organizationId: 1, ids: [] }), []);
    }),
  ];
}
