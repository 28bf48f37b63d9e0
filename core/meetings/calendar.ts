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
export interface CalendarMeeting {
  /** The id of the meeting, the same in every member's calendar. */
  readonly id: number;
  /** The title. */
  readonly name: string;
  /** When the meeting begins. */
  readonly startTime: Date;
  /** When the meeting ends. */
  readonly endTime: Date;
  /** What the meeting is about, in a few words. */
  readonly topic: string;
  /** A longer text; null: none. */
  readonly description: string | null;
  /** Where it takes place, or the service on which it is held. */
  readonly location: string;
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

/** Meetings with long descriptions need megabytes, so that only a few are in memory. */
const MEETINGS_PER_PART = 10;

/** Reads the details of the meetings, some at a time. A meeting that was deleted meanwhile is left out. */
export async function* calendarParts(
  { meetings }: Uses<'meetings.details'>,
  { organizationId, places, asOf }: CalendarPlaces,
): AsyncGenerator<readonly CalendarMeeting[]> {
  for (let start = 0; start < places.length; start += MEETINGS_PER_PART) {
    const some = places.slice(start, start + MEETINGS_PER_PART);
    const ids = some.map(({ meetingId }) => meetingId);
    const details = await meetings.details({ organizationId, ids });
    const byId = new Map(details.map((meeting) => [meeting.id, meeting]));
    yield some.flatMap((place) => {
      const meeting = byId.get(place.meetingId);
      return meeting === undefined ? [] : [{ ...describe(meeting, place), asOf }];
    });
  }
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
