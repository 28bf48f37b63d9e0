import type { EventFeed, FeedCursor } from '../../webhooks/ports/event-feed.js';
import type { State, StoredEvent } from './state.js';

/** Nothing runs between two changes of the state, so a position can be assigned at once. Keeps every event. */
export function memoryEventFeed(state: State): EventFeed {
  return {
    async read({ organizationId, after, order, name, limit }) {
      const all = state.events.get(organizationId) ?? [];
      if (after !== null && !isIn(all, after)) return { oldest: { position: 0, eventId: null } };
      const further = all.filter(
        (event) =>
          (name === undefined || event.name === name) &&
          (after === null ||
            (order === 'asc' ? event.position > after.position : event.position < after.position)),
      );
      if (order === 'desc') further.reverse();
      const events = further.slice(0, limit).map(({ about, ...event }) => event);
      const hasMore = further.length > limit;
      const end = placeOf(all.at(-1));
      const last = events.at(-1);
      if (last === undefined || (order === 'asc' && !hasMore))
        return { events, hasMore, next: order === 'asc' ? end : (after ?? end) };
      return { events, hasMore, next: placeOf(last) };
    },
  };
}

function isIn(all: readonly StoredEvent[], { position, eventId }: FeedCursor): boolean {
  if (position > all.length) return false;
  return position === 0 || eventId === null || all[position - 1]?.id === eventId;
}

function placeOf(event: Pick<StoredEvent, 'id' | 'position'> | undefined): FeedCursor {
  return { position: event?.position ?? 0, eventId: event?.id ?? null };
}
