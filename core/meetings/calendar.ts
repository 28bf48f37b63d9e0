import type { Uses } from '../deps.js';
import type { Member } from '../users/ports/members.js';
import { leaderName } from './leader-name.js';
import { type MergedPlace, mergePlaces } from './merge-places.js';
import type { MeetingDetails } from './ports/meetings.js';

/** A meeting stays in the calendar for this many milliseconds after its end. */
export const calendarPastMs = 30 * 24 * 60 * 60 * 1000;
/** The maximum number of meetings in one feed, earliest first. Later ones appear when earlier ones leave it. */
export const maxCalendarMeetings = 1000;

/** A meeting in a member's calendar. */
export interface CalendarMeeting
  extends Pick<
    MeetingDetails,
    'id' | 'name' | 'startTime' | 'endTime' | 'topic' | 'description' | 'location'
  > {
  /** First name and last initial, such as `Dana K.`; null: nobody leads the meeting. */
  readonly groupLeader: string | null;
  /** `confirmed`: the member has a seat. `tentative`: the member is on the waitlist, without a seat. */
  readonly status: 'confirmed' | 'tentative';
  /** When this information was read. */
  readonly asOf: Date;
}

/** The meetings of a calendar, without their details. */
export interface CalendarPlaces {
  readonly organizationId: number;
  /** By start time and then id. */
  readonly places: readonly MergedPlace[];
  readonly asOf: Date;
}

/**
 * Finds the meetings in a member's calendar: those in which the member has a seat, from 30 days back, and those whose
 * waitlist the member is on, except rejected and expired places.
 */
export async function calendarPlaces(
  { meetings, clock }: Uses<'clock.now' | 'meetings.places' | 'meetings.seatsSince'>,
  { organizationId, user }: Member,
): Promise<CalendarPlaces> {
  const now = clock.now();
  const member = { organizationId, userId: user.id };
  const [seats, { waiting }] = await Promise.all([
    meetings.seatsSince({ ...member, endsAfter: new Date(now.getTime() - calendarPastMs) }),
    meetings.places({ ...member, now }),
  ]);
  const places = mergePlaces(seats, waiting).filter(isInCalendar).slice(0, maxCalendarMeetings);
  return { organizationId, places, asOf: now };
}

const MAX_MEETINGS_PER_PART = 10;
/** Feeds that are read at once each have a part in memory, so a part with long descriptions has fewer meetings. */
const DESCRIPTIONS_LENGTH = 40_000;

/** Reads the details of the meetings, some at a time. A meeting that was deleted meanwhile is left out. */
export async function* calendarParts(
  { meetings }: Uses<'meetings.details'>,
  { organizationId, places, asOf }: CalendarPlaces,
): AsyncGenerator<readonly CalendarMeeting[]> {
  let size = MAX_MEETINGS_PER_PART;
  for (let start = 0; start < places.length; ) {
    const some = places.slice(start, start + size);
    start += some.length;
    const ids = some.map(({ meetingId }) => meetingId);
    const details = await meetings.details({ organizationId, ids });
    size = sizeAfter(details);
    const byId = new Map(details.map((meeting) => [meeting.id, meeting]));
    yield some.flatMap((place) => {
      const meeting = byId.get(place.meetingId);
      return meeting === undefined ? [] : [{ ...describe(meeting, place), asOf }];
    });
  }
}

/** How many meetings the next part has. */
function sizeAfter(details: readonly MeetingDetails[]): number {
  const longest = Math.max(1, ...details.map(({ description }) => description?.length ?? 0));
  return Math.max(1, Math.min(MAX_MEETINGS_PER_PART, Math.floor(DESCRIPTIONS_LENGTH / longest)));
}

/** Whether the member's calendar shows the meeting. A rejected or expired waitlist place alone is not shown. */
export function isInCalendar({
  registeredAt,
  waitingStatus,
}: Pick<MergedPlace, 'registeredAt' | 'waitingStatus'>): boolean {
  return registeredAt !== null || (waitingStatus !== 'rejected' && waitingStatus !== 'expired');
}

function describe(meeting: MeetingDetails, { registeredAt }: MergedPlace): Omit<CalendarMeeting, 'asOf'> {
  const { id, name, startTime, endTime, topic, description, location, groupLeader } = meeting;
  return {
    id,
    name,
    startTime,
    endTime,
    topic,
    description,
    location,
    groupLeader: groupLeader === null ? null : leaderName(groupLeader),
    status: registeredAt === null ? 'tentative' : 'confirmed',
  };
}
