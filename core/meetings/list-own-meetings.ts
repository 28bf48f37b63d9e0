import type { Uses } from '../deps.js';
import type { MemberKey } from '../users/ports.js';
import { isId } from '../values/ids.js';
import { clampPage } from '../values/page.js';
import { mergePlaces } from './merge-places.js';
import { notAMember } from './not-a-member.js';
import { onPage, type UpcomingMeetings, upcomingPage } from './upcoming-meetings.js';

/** The request of `listOwnMeetings`. */
export interface ListOwnMeetings extends MemberKey {
  /** From 1, which is the default; limited to its range and never refused. A page has 25 meetings. */
  readonly page?: unknown;
}

/**
 * Lists the same meetings as `listUpcomingMeetings`, for the member's own page. Refuses users who are not members.
 *
 * @throws `Refusal`: `member-not-found`.
 */
export async function listOwnMeetings(
  deps: Uses<
    'clock.now' | 'links.defaultAvatar' | 'meetings.details' | 'meetings.places' | 'members.byUserId'
  >,
  { organizationId, userId, page }: ListOwnMeetings,
): Promise<UpcomingMeetings> {
  if (!isId(organizationId) || !isId(userId)) throw notAMember();
  const member = await deps.members.byUserId({ organizationId, userId });
  if (member === null) throw notAMember();
  const now = deps.clock.now();
  const { registered, waiting } = await deps.meetings.places({ organizationId, userId, now });
  const requested = clampPage({ page, size: undefined, defaultSize: 25 });
  const places = mergePlaces(registered, waiting);
  const ids = onPage(places, requested).map(({ meetingId }) => meetingId);
  const details = ids.length === 0 ? [] : await deps.meetings.details({ organizationId, ids });
  return upcomingPage(deps, { places, details, page: requested });
}
