import type { Uses } from '../deps.js';

export interface FindCalendarFeed {
  readonly organizationId: number;
  readonly userId: number;
}

/** When the member's feed was created, or null; its address cannot be read again. */
export async function findCalendarFeed(
  { calendarFeeds }: Uses<'calendarFeeds.of'>,
  { organizationId, userId }: FindCalendarFeed,
): Promise<{ readonly createdAt: Date } | null> {
  const feed = await calendarFeeds.of({ organizationId, userId });
  return feed === null ? null : { createdAt: feed.createdAt };
}
