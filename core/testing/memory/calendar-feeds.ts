import type { CalendarFeed, CalendarFeeds } from '../../meetings/ports/calendar-feeds.js';
import { membershipOf, type State } from './state.js';

export function memoryCalendarFeeds(state: State): CalendarFeeds {
  const keyOf = ({ organizationId, userId }: Pick<CalendarFeed, 'organizationId' | 'userId'>): string =>
    `${organizationId}/${userId}`;
  const whileMember = (feed: (CalendarFeed & { readonly hash: string }) | undefined): CalendarFeed | null => {
    if (feed === undefined || membershipOf(state, feed) === undefined) return null;
    const { hash, ...rest } = feed;
    return rest;
  };
  return {
    async create(feed) {
      if (membershipOf(state, feed) === undefined) return false;
      state.calendarFeeds.set(keyOf(feed), feed);
      return true;
    },
    async find(hash) {
      return whileMember([...state.calendarFeeds.values()].find((feed) => feed.hash === hash));
    },
    async of(member) {
      return whileMember(state.calendarFeeds.get(keyOf(member)));
    },
    async revoke(member) {
      return state.calendarFeeds.delete(keyOf(member));
    },
  };
}
