import { startOfDay } from './days.js';
import { meetingRecords } from './meetings.js';
import { allocateMembers, membershipRecords, organizationRecords, userRecords } from './people.js';
import { createRandom } from './random.js';
import { sampleFacts } from './sample-facts.js';
import type { SampleRecord } from './sample-record.js';

export interface SampleRequest {
  /** Meetings lie in the 12 months before and after this day. */
  readonly now: Date;
  /** The two values that a location can have. */
  readonly locations: readonly [own: string, thirdParty: string];
  readonly members?: number;
  readonly meetings?: number;
  /** The same seed gives the same data, except for the dates. */
  readonly seed?: number;
}

/**
 * The sample: organizations, members, and meetings with registrations and waitlist entries. Only the dates depend on
 * the day, so that loading the sample again on another day moves the same meetings.
 */
export function* sampleDataset({
  now,
  locations,
  members: memberCount = sampleFacts.members,
  meetings: meetingCount = sampleFacts.meetings,
  seed = 1,
}: SampleRequest): Generator<SampleRecord> {
  const today = startOfDay(now);
  const random = createRandom(seed);
  const members = allocateMembers(memberCount);

  yield* organizationRecords();
  yield* userRecords({ today, members, memberCount });
  yield* membershipRecords(members);
  for (let index = 0; index < meetingCount; index += 1) {
    yield* meetingRecords({ index, meetingCount, today, locations, members, memberCount, random });
  }
}
