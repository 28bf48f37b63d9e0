import type { Dataset } from '@rollcall/core/testing';
import type { DatasetRecord } from '#adapters/sql/maintenance/dataset.js';

/** The same dataset as records of a dataset file. */
export function datasetRecords(dataset: Dataset): readonly DatasetRecord[] {
  const {
    organizations = [],
    users = [],
    memberships = [],
    registrations = [],
    waitingPlaces = [],
  } = dataset;
  const { meetings = [], changedMeetings = [], deletedMeetings = [] } = dataset;
  return [
    ...organizations.map(({ id, name, eap }) => recordOf('organization', { id, name, eap })),
    ...users.map((user) => recordOf('user', user)),
    ...memberships.map((membership) => recordOf('membership', membership)),
    ...[...meetings, ...changedMeetings].map(({ description, ...meeting }) =>
      recordOf('meeting', { ...meeting, meetingDescription: description }),
    ),
    ...deletedMeetings.map((id) => recordOf('meeting', { deleted: true, id })),
    ...registrations.map((registration) => recordOf('registration', registration)),
    ...waitingPlaces.map(({ offeredUntil = null, ...place }) =>
      recordOf('waitlist_entry', { ...place, offeredUntil }),
    ),
  ];
}

/** The fields in the spelling of the file, and times as it writes them. */
function recordOf(kind: DatasetRecord['kind'], item: object): DatasetRecord {
  const fields = Object.entries(item).map(([name, value]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value instanceof Date ? value.toISOString() : value,
  ]);
  return { kind, ...Object.fromEntries(fields) } as DatasetRecord;
}
