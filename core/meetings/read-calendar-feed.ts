import type { Organization } from '../access/ports/organizations.js';
import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import { type CalendarMeeting, calendarParts, calendarPlaces } from './calendar.js';

/** The request of `readCalendarFeed`. */
export interface ReadCalendarFeed {
  /** The token from the feed's URL, as received. */
  readonly token: string;
}

/** What a calendar program gets. */
export interface CalendarFeedContent {
  /** The organization that the feed belongs to. */
  readonly organization: Pick<Organization, 'id' | 'name'>;
  /**
   * Reads the meetings, some at a time, by start time and then id: from 30 days back (`calendarPastMs`), at most
   * `maxCalendarMeetings`. Can be called again: it then reads the same meetings as they are by that time.
   */
  readonly meetings: () => AsyncIterable<readonly CalendarMeeting[]>;
}

/**
 * Reads the meetings of a feed's owner, while the feed is not revoked and the owner is a member. Changes nothing.
 *
 * @throws `Refusal`: `calendar-feed-unknown`.
 */
export async function readCalendarFeed(
  deps: Uses<
    | 'calendarFeeds.find'
    | 'meetings.details'
    | 'members.byUserId'
    | 'organizations.byId'
    | 'secrets.tokenHash'
    | typeof calendarPlaces
  >,
  { token }: ReadCalendarFeed,
): Promise<CalendarFeedContent> {
  const hash = deps.secrets.tokenHash('calendar', token);
  const feed = hash === null ? null : await deps.calendarFeeds.find(hash);
  const member = feed === null ? null : await deps.members.byUserId(feed);
  const organization = member === null ? null : await deps.organizations.byId(member.organizationId);
  if (member === null || organization === null) {
    throw new Refusal('calendar-feed-unknown', 'This calendar does not exist or was revoked');
  }

  const { id, name } = organization;
  const places = await calendarPlaces(deps, member);
  return { organization: { id, name }, meetings: () => calendarParts(deps, places) };
}
