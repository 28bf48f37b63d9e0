import type { EventName, NewEvent } from '../events.js';

/** An event in its organization's feed. */
export interface RecordedEvent extends Omit<NewEvent, 'about'> {
  /** The event's place in the feed: a whole number from 1 to 2^53 - 1. */
  readonly position: number;
}

/** A place in a feed from which a reader continues. */
export interface FeedCursor {
  /** The position of the last event that the reader has passed; 0: none. */
  readonly position: number;
  /** The id of the event at this position; null: not known. */
  readonly eventId: string | null;
}

/** What a reader asks for. */
export interface FeedQuery {
  /** The organization whose events are read. */
  readonly organizationId: number;
  /** Null: from the oldest event that is kept, or from the newest one if the order is `desc`. */
  readonly after: FeedCursor | null;
  /** `asc`: by position. `desc`: the largest position first. */
  readonly order: 'asc' | 'desc';
  /** Only events with this name. */
  readonly name?: EventName | undefined;
  /** The maximum number of events. */
  readonly limit: number;
}

/** A page of a feed. */
export interface FeedPage {
  /** In the order that the query asks for. */
  readonly events: readonly RecordedEvent[];
  /** Whether more events come after these in this order. */
  readonly hasMore: boolean;
  /** Where a reader continues who has read this page. */
  readonly next: FeedCursor;
}

/** The feed no longer has the events that come after the place, or never had the event at that place. */
export interface FeedExpired {
  /** A reader who continues here misses no event that is kept. */
  readonly oldest: FeedCursor;
}

/** The events of each organization in an order that never changes. Journals write them. */
export interface EventFeed {
  /**
   * Returns every event that was committed before the call, as far as the page reaches, with its position. An event
   * whose transaction took longer than a minute may appear up to a minute later.
   *
   * A position never changes. Once `read` has returned a position, no event gets a smaller one, even if its
   * transaction began earlier and committed later. So a reader who always continues at `next` gets each event exactly
   * once, however many instances register and read at the same time.
   *
   * Without further events, the page is empty and `next` is the place to ask again. `FeedExpired`: events after the
   * place are no longer kept, or the place is not one of this feed, for example because the storage was restored from
   * an older backup.
   */
  read(query: FeedQuery): Promise<FeedPage | FeedExpired>;
}
