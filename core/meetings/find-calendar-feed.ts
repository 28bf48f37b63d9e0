import type { Deps } from '../deps.js';

export interface FindCalendarFeed {
  readonly organizationId: number;
  readonly userId: number;
}

/** Since when the member has a feed, or null; its address is not known any more. */
export async function findCalendarFeed(
  { calendarFeeds }: Pick<Deps, 'calendarFeeds'>,
  { organizationId, userId }: FindCalendarFeed,
): Promise<{ readonly createdAt: Date } | null> {
  const feed = await calendarFeeds.of({ organizationId, userId });
  return feed === null ? null : { createdAt: feed.createdAt };
}
