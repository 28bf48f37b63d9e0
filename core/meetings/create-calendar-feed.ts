import type { Uses } from '../deps.js';
import type { MemberKey } from '../users/ports/members.js';
import { mayBeId } from '../values/ids.js';
import { notAMember } from './not-a-member.js';

/** The request of `createCalendarFeed`. */
export type CreateCalendarFeed = MemberKey;

/** A calendar feed with its URL. */
export interface CreatedCalendarFeed {
  /** Contains the token of the feed and cannot be read again: only the token's hash is stored. */
  readonly url: string;
  /** When the URL started to work. */
  readonly createdAt: Date;
}

/**
 * Creates a private URL for the member's calendar program; an older one stops working at once.
 *
 * @throws `Refusal`: `member-not-found`. `Error` if `links.calendar` is not set.
 */
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

  if (!mayBeId('organizationId', organizationId) || !mayBeId('userId', userId)) throw notAMember();
  const { token, hash } = secrets.newToken('calendar');
  const createdAt = clock.now();
  const isCreated = await calendarFeeds.create({ organizationId, userId, hash, createdAt });
  if (!isCreated) throw notAMember();
  return { url: links.calendar(token), createdAt };
}
