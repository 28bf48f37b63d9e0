import type { Uses } from '../deps.js';
import type { MemberKey } from '../users/ports/members.js';
import { checkId } from '../values/ids.js';

/** The request of `findCalendarFeed`. */
export type FindCalendarFeed = MemberKey;

/**
 * Returns when the member's feed was created, or null if there is none; its URL cannot be read again.
 *
 * @throws `TypeError` if `organizationId` or `userId` is not an id.
 */
export async function findCalendarFeed(
  { calendarFeeds }: Uses<'calendarFeeds.of'>,
  { organizationId, userId }: FindCalendarFeed,
): Promise<{ readonly createdAt: Date } | null> {
  checkId('organizationId', organizationId);
  checkId('userId', userId);
  const feed = await calendarFeeds.of({ organizationId, userId });
  return feed === null ? null : { createdAt: feed.createdAt };
}
