import type { Uses } from '../deps.js';
import { searchWords } from '../users/search-words.js';
import { mayBeId } from '../values/ids.js';
import { clampPage, pageOffset } from '../values/page.js';
import type { ListOwnMeetings } from './list-own-meetings.js';
import { mergePlaces } from './merge-places.js';
import { notAMember } from './not-a-member.js';
import { type OwnMeetings, upcomingPage } from './upcoming-meetings.js';

/** The request of `listPastMeetings`. */
export type ListPastMeetings = ListOwnMeetings;

/**
 * Lists the meetings in which the member had a seat and which have ended or are completed, the latest first, without
 * canceled ones. Refuses users who are not members.
 *
 * @throws `Refusal`: `member-not-found`; `invalid-request` if the search is too long or has too many words.
 */
export async function listPastMeetings(
  deps: Uses<
    | 'clock.now'
    | 'links.defaultAvatar'
    | 'meetings.details'
    | 'meetings.places'
    | 'meetings.seatsSince'
    | 'members.byUserId'
  >,
  { organizationId, userId, page, search = '' }: ListPastMeetings,
): Promise<OwnMeetings> {
  if (!mayBeId('organizationId', organizationId) || !mayBeId('userId', userId)) throw notAMember();
  const member = await deps.members.byUserId({ organizationId, userId });
  if (member === null) throw notAMember();

  const words = searchWords(search);
  const now = deps.clock.now();
  // In this order, so that a seat in an upcoming meeting that is taken between the two reads is not taken for a past one.
  const seats = await deps.meetings.seatsSince({ organizationId, userId, endsAfter: new Date(0), words });
  const { registered } = await deps.meetings.places({ organizationId, userId, now });
  const upcoming = new Set(registered.map(({ meetingId }) => meetingId));
  const past = mergePlaces(seats, [])
    .filter(({ meetingId }) => !upcoming.has(meetingId))
    .reverse();

  const requested = clampPage({ page, defaultSize: 25 });
  const places = past.slice(pageOffset(requested), pageOffset(requested) + requested.size);
  const ids = places.map(({ meetingId }) => meetingId);
  const details = await deps.meetings.details({ organizationId, ids });
  return { ...upcomingPage(deps, { places, details, total: past.length, page: requested }), asOf: now };
}
