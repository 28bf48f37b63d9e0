import type { MeetingSelection } from '../../../meetings/meeting.js';
import { aMeeting, type DatasetMeeting } from '../../dataset.js';
import { type ContractTest, expectEqual } from '../../expect.js';
import { minutes } from '../../noon.js';
import type { MakeTest } from '../../start-storage.js';
import { exportedNames, exportedPage } from './export-request.js';

export function exportPagesTests(test: MakeTest): readonly ContractTest[] {
  return [
    test('all pages of a selection together have all its rows, each page has its total, and a page past the end is empty', async (storage) => {
      await storage.load({ meetings: manyMeetings() });
      for (const selection of pagedSelections) {
        const all = await exportedNames(storage, selection);
        for (const limit of [1, 3]) {
          const offsets = Array.from({ length: all.length / limit + 2 }, (_, index) => index * limit);
          for (const offset of [...offsets, 99_999_999_900]) {
            const page = await exportedPage(storage, { offset, limit }, selection);
            const expected = { total: all.length, names: all.slice(offset, offset + limit) };
            expectEqual([selection, offset, limit, page], [selection, offset, limit, expected]);
          }
        }
      }
    }),
  ];
}

/** Meetings of the organization and of the service, many with the same start time. */
function manyMeetings(): readonly DatasetMeeting[] {
  return Array.from({ length: 47 }, (_, index) =>
    aMeeting(index + 1, {
      startTime: minutes(Math.floor(index / 3) * 10),
      status: index % 4 === 0 ? 'scheduled' : 'complete',
      eap: index % 3 === 0,
      updatedAt: minutes(index % 7),
      organizationId: index % 5 === 0 ? null : 1,
      eapOrganizationIds: index % 5 === 0 ? [1, 3] : [],
    }),
  );
}

const pagedSelections: readonly Partial<MeetingSelection>[] = [
  { state: 'past' },
  { state: 'past', withServiceMeetings: false },
  { state: 'past', eapOnly: true },
  { state: 'any', withServiceMeetings: false, starts: { from: minutes(20), before: minutes(130) } },
  { state: 'upcoming', now: minutes(40) },
  { state: 'past', updatedSince: minutes(3) },
  { state: 'past', withServiceMeetings: false, updatedSince: minutes(6) },
  { state: 'upcoming', now: minutes(40), updatedSince: minutes(2) },
  {
    state: 'any',
    eapOnly: true,
    starts: { from: minutes(20), before: minutes(130) },
    updatedSince: minutes(1),
  },
];
