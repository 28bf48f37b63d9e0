import type { Uses } from '../deps.js';
import type { MemberKey } from '../users/ports/members.js';
import { searchWords } from '../users/search-words.js';
import { mayBeId } from '../values/ids.js';
import { clampPage } from '../values/page.js';
import type { MeetingSearch } from './meeting.js';
import { notAMember } from './not-a-member.js';
import { type OwnMeetings, upcomingOf } from './upcoming-meetings.js';

/** The request of `listOwnMeetings`. */
export interface ListOwnMeetings extends MemberKey, MeetingSearch {
  /** From 1, which is the default; limited to its range and never refused. A page has 25 meetings. */
  readonly page?: unknown;
}

/**
 * Lists the same meetings as `listUpcomingMeetings`, for the member's own page. Refuses users who are not members.
 *
 * @throws `Refusal`: `member-not-found`; `invalid-request` if the search is too long or has too many words.
 */
export async function listOwnMeetings(
  deps: Uses<'clock.now' | 'members.byUserId' | typeof upcomingOf>,
  { organizationId, userId, page, search = '' }: ListOwnMeetings,
): Promise<OwnMeetings> {
  if (!mayBeId('organizationId', organizationId) || !mayBeId('userId', userId)) throw notAMember();
  const member = await deps.members.byUserId({ organizationId, userId });
  if (member === null) throw notAMember();
  const words = searchWords(search);
  const requested = clampPage({ page, defaultSize: 25 });
  const now = deps.clock.now();
  return { ...(await upcomingOf(deps, { organizationId, userId, now, words, page: requested })), asOf: now };
}
