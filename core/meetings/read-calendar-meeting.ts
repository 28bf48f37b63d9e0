import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import { type CalendarMeeting, calendarOf } from './calendar.js';

export interface ReadCalendarMeeting {
  readonly organizationId: number;
  readonly userId: number;
  readonly meetingId: number;
}

/** Reads one meeting of the member's own calendar; any other is refused like one that does not exist. */
export async function readCalendarMeeting(
  deps: Uses<
    'clock.now' | 'meetings.details' | 'meetings.places' | 'meetings.seatsSince' | 'members.byUserId'
  >,
  { organizationId, userId, meetingId }: ReadCalendarMeeting,
): Promise<CalendarMeeting> {
  const member = await deps.members.byUserId({ organizationId, userId });
  if (member === null) throw new Refusal('member-not-found', 'You are not a member of this organization');
  const meeting = (await calendarOf(deps, member)).find(({ id }) => id === meetingId);
  if (meeting === undefined) {
    throw new Refusal('meeting-not-found', 'There is no such meeting in your calendar');
  }
  return meeting;
}
