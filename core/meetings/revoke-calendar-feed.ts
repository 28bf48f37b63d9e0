import type { Uses } from '../deps.js';
import { checkId } from '../values/ids.js';

export interface RevokeCalendarFeed {
  readonly organizationId: number;
  readonly userId: number;
}

/** Ends the member's feed at once; returns false if there was none. */
export async function revokeCalendarFeed(
  { calendarFeeds }: Uses<'calendarFeeds.revoke'>,
  { organizationId, userId }: RevokeCalendarFeed,
): Promise<boolean> {
  checkId('organizationId', organizationId);
  checkId('userId', userId);
  return calendarFeeds.revoke({ organizationId, userId });
}
