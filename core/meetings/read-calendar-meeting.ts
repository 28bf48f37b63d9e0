import type { Uses } from '../deps.js';
import { refusal } from '../errors.js';
import type { MemberKey } from '../users/ports/members.js';
import { mayBeId } from '../values/ids.js';
import { type CalendarMeeting, calendarParts, calendarPlaces } from './calendar.js';
import { notAMember } from './not-a-member.js';

/** The request of `readCalendarMeeting`. */
export interface ReadCalendarMeeting extends MemberKey {
  /** The id of a `CalendarMeeting`. */
  readonly meetingId: number;
}

/**
 * Reads one meeting of the member's own calendar; any other is refused like one that does not exist.
 *
 * @throws `Refusal`: `member-not-found`, `meeting-not-found`.
 */
export async function readCalendarMeeting(
  deps: Uses<'meetings.details' | 'members.byUserId' | typeof calendarPlaces>,
  { organizationId, userId, meetingId }: ReadCalendarMeeting,
): Promise<CalendarMeeting> {
  if (!mayBeId('organizationId', organizationId) || !mayBeId('userId', userId)) throw notAMember();
  if (!mayBeId('meetingId', meetingId)) throw meetingNotFound();
  const member = await deps.members.byUserId({ organizationId, userId });
  if (member === null) throw notAMember();
  const calendar = await calendarPlaces(deps, member);
  const places = calendar.places.filter((place) => place.meetingId === meetingId);
  for await (const [meeting] of calendarParts(deps, { ...calendar, places })) if (meeting) return meeting;
  throw meetingNotFound();
}

const meetingNotFound = refusal('meeting-not-found', 'There is no such meeting in your calendar');
