import type { Uses } from '../deps.js';
import type { MemberKey } from '../users/ports/members.js';
import { checkId } from '../values/ids.js';

/** The request of `revokeCalendarFeed`. */
export type RevokeCalendarFeed = MemberKey;

/**
 * Ends the member's feed at once; returns false if there was none.
 *
 * @throws `TypeError` if `organizationId` or `userId` is not an id.
 */
export async function revokeCalendarFeed(
  { calendarFeeds }: Uses<'calendarFeeds.revoke'>,
  { organizationId, userId }: RevokeCalendarFeed,
): Promise<boolean> {
  checkId('organizationId', organizationId);
  checkId('userId', userId);
  return calendarFeeds.revoke({ organizationId, userId });
}
