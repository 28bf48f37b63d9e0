import type { MemberKey } from '../../users/ports/members.js';

/** The private URL from which a member's calendar program reads their meetings. */
export interface CalendarFeed extends MemberKey {
  /** When the URL was created; a new URL for the same member has a new time. */
  readonly createdAt: Date;
}

/** A member has at most one feed. It ends with the membership, and a later membership does not restore it. */
export interface CalendarFeeds {
  /** Replaces an older feed of the member, which ends at once; false: there is no such member. */
  create(feed: CalendarFeed & { readonly hash: string }): Promise<boolean>;
  /** Finds a feed by the hash of the token in its URL; null: there is none, or it was replaced or revoked. */
  find(hash: string): Promise<CalendarFeed | null>;
  /** Finds the feed of a member; null: the member has none. */
  of(member: MemberKey): Promise<CalendarFeed | null>;
  /** After that, `find` returns null on every instance. False: there was no feed. */
  revoke(member: MemberKey): Promise<boolean>;
}
