import { isSelected, type MeetingSelection } from '../../../meetings/meeting.js';
import { aMeeting, type DatasetMeeting } from '../../dataset.js';
import { type ContractTest, expectEqual } from '../../expect.js';
import { minutes, noon } from '../../noon.js';
import type { MakeTest } from '../../start-storage.js';
import { columns, exported, exportedNames } from './export-request.js';

/** The rows of an export and their order. */
export function exportRowsTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('export has exactly the requested columns, in the requested order', async (storage) => {
      await storage.load({ meetings: [aMeeting(1, { groupLeaderId: 2 })] });
      const [row] = await exported(storage, { columns: columns('price', 'group_leader_id', 'name') });
      expectEqual(Object.entries(row ?? {}), [
        ['price', 0],
        ['group_leader', 2],
        ['name', 'Meeting 1'],
      ]);
    }),

    test('export is ordered by start time and then id', async (storage) => {
      await storage.load({
        meetings: [
          aMeeting(30, { startTime: minutes(10) }),
          aMeeting(4, { startTime: minutes(20) }),
          aMeeting(20, { startTime: minutes(10) }),
          aMeeting(100, { startTime: minutes(10), organizationId: null, eapOrganizationIds: [1] }),
          aMeeting(5, { startTime: minutes(-10) }),
        ],
      });
      expectEqual(
        await exportedNames(storage, {}),
        [5, 20, 30, 100, 4].map((id) => `Meeting ${id}`),
      );
    }),

    test('export agrees with the rule of selection for every state, range, time of update and kind of meeting', async (storage) => {
      const all = selectionMeetings();
      await storage.load({ meetings: all });
      for (const selection of selections()) {
        const expected = all.filter((meeting) => isSelected(meeting, selection)).map(({ name }) => name);
        const names = await exportedNames(storage, selection);
        expectEqual([selection, [...names].sort()], [selection, expected.sort()]);
      }
    }),
  ];
}

/** One meeting for each combination of properties that the rule distinguishes. */
function selectionMeetings(): readonly DatasetMeeting[] {
  const owners: readonly Partial<DatasetMeeting>[] = [
    { organizationId: 1 },
    { organizationId: 2 },
    { organizationId: null },
    { organizationId: null, eapOrganizationIds: [1] },
    { organizationId: null, eapOrganizationIds: [2, 3] },
  ];
  const starts = [minutes(-180), minutes(-60), minutes(-30), noon, minutes(60)];
  let id = 0;
  return owners.flatMap((owner) =>
    ['complete', 'cancel', 'scheduled', 'in_progress'].flatMap((status) =>
      starts.flatMap((startTime) =>
        [true, false].map((eap) => {
          id += 1;
          return aMeeting(id, {
            ...owner,
            updatedAt: minutes((id % 3) - 1),
            status,
            eap,
            startTime,
            endTime: new Date(startTime.getTime() + 3_600_000),
          });
        }),
      ),
    ),
  );
}

function selections(): readonly MeetingSelection[] {
  const ranges = [
    { from: null, before: null },
    { from: minutes(-60), before: noon },
    { from: noon, before: null },
    { from: null, before: minutes(-30) },
    { from: minutes(10), before: minutes(5) },
  ];
  return [1, 2, 3].flatMap((organizationId) =>
    [true, false].flatMap((withServiceMeetings) =>
      [true, false].flatMap((eapOnly) =>
        (['past', 'upcoming', 'any'] as const).flatMap((state) =>
          ranges.flatMap((starts) =>
            [null, noon].map((updatedSince) => ({
              ...{ organizationId, withServiceMeetings, eapOnly, state, starts, updatedSince, now: noon },
            })),
          ),
        ),
      ),
    ),
  );
}
