import type { Uses } from '../deps.js';
import { isId } from '../values/ids.js';
import { notAMember } from './not-a-member.js';

export interface CreateCalendarFeed {
  readonly organizationId: number;
  readonly userId: number;
}

export interface CreatedCalendarFeed {
  /** Cannot be read again: only the hash of its token is stored. */
  readonly url: string;
  readonly createdAt: Date;
}

/** Creates a private URL for the member's calendar program; an older one stops working at once. */
export async function createCalendarFeed(
  {
    calendarFeeds,
    secrets,
    clock,
    links,
  }: Uses<'calendarFeeds.create' | 'clock.now' | 'links.calendar' | 'secrets.newToken'>,
  { organizationId, userId }: CreateCalendarFeed,
): Promise<CreatedCalendarFeed> {
  if (links.calendar === undefined)
    throw new Error('The setting links.calendar is needed for calendar feeds');

  if (!isId(organizationId) || !isId(userId)) throw notAMember();
  const { token, hash } = secrets.newToken('calendar');
  const createdAt = clock.now();
  const isCreated = await calendarFeeds.create({ organizationId, userId, hash, createdAt });
  if (!isCreated) throw notAMember();
  return { url: links.calendar(token), createdAt };
}
