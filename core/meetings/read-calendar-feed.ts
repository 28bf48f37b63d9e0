import type { Organization } from '../access/ports.js';
import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import { type CalendarMeeting, calendarOf } from './calendar.js';

export interface ReadCalendarFeed {
  readonly token: string;
}

export interface CalendarFeedContent {
  readonly organization: Pick<Organization, 'id' | 'name'>;
  readonly meetings: readonly CalendarMeeting[];
}

/** Reads the meetings of a feed's owner, while the feed is not revoked and the owner is a member. Changes nothing. */
export async function readCalendarFeed(
  deps: Uses<
    | 'calendarFeeds.find'
    | 'clock.now'
    | 'meetings.details'
    | 'meetings.places'
    | 'meetings.seatsSince'
    | 'members.byUserId'
    | 'organizations.byId'
    | 'secrets.tokenHash'
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
  return { organization: { id, name }, meetings: await calendarOf(deps, member) };
}
