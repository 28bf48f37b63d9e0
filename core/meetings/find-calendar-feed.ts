import type { Uses } from '../deps.js';
import { checkId } from '../values/ids.js';

export interface FindCalendarFeed {
  readonly organizationId: number;
  readonly userId: number;
}

/** Returns when the member's feed was created, or null if there is none; its URL cannot be read again. */
export async function findCalendarFeed(
  { calendarFeeds }: Uses<'calendarFeeds.of'>,
  { organizationId, userId }: FindCalendarFeed,
): Promise<{ readonly createdAt: Date } | null> {
  checkId('organizationId', organizationId);
  checkId('userId', userId);
  const feed = await calendarFeeds.of({ organizationId, userId });
  return feed === null ? null : { createdAt: feed.createdAt };
}
