import { Refusal } from '../errors.js';
import type { Organization } from '../ports.js';
import type { World } from '../world.js';
import { type CalendarMeeting, calendarOf } from './calendar.js';

export interface ReadCalendarFeed {
  readonly token: string;
}

export interface CalendarFeedContent {
  readonly organization: Pick<Organization, 'id' | 'name'>;
  readonly meetings: readonly CalendarMeeting[];
}

/** The meetings of the member whose feed it is, while it is not revoked and they are a member. Changes nothing. */
export async function readCalendarFeed(
  world: Pick<World, 'calendarFeeds' | 'members' | 'organizations' | 'meetings' | 'secrets' | 'clock'>,
  { token }: ReadCalendarFeed,
): Promise<CalendarFeedContent> {
  const hash = world.secrets.tokenHash('calendar', token);
  const feed = hash === null ? null : await world.calendarFeeds.find(hash);
  const member = feed === null ? null : await world.members.byUserId(feed);
  const organization = member === null ? null : await world.organizations.byId(member.organizationId);
  if (member === null || organization === null) {
    throw new Refusal('calendar-feed-unknown', 'This calendar does not exist or was revoked');
  }

  const { id, name } = organization;
  return { organization: { id, name }, meetings: await calendarOf(world, member) };
}
