/** The ports of meetings: meetings with their places, and calendar feeds. */
import type { User } from '../users/ports.js';
import type { ExportColumn, ExportForm } from './export-columns.js';
import type { MeetingSelection } from './meeting.js';

/** A member's seat in a meeting. */
export interface RegisteredPlace {
  readonly meetingId: number;
  readonly startTime: Date;
  readonly registeredAt: Date;
}

export type WaitingStatus = 'waiting' | 'accepted' | 'rejected' | 'offered' | 'expired';

/** A member's place on the waitlist of a meeting that has one. */
export interface WaitingPlace {
  readonly meetingId: number;
  readonly startTime: Date;
  readonly status: WaitingStatus;
}

export interface Places {
  readonly registered: readonly RegisteredPlace[];
  readonly waiting: readonly WaitingPlace[];
}

export interface PlacesWithDetails extends Places {
  readonly details: readonly MeetingDetails[];
}

export interface MeetingDetails {
  readonly id: number;
  readonly name: string;
  readonly startTime: Date;
  readonly endTime: Date;
  readonly topic: string;
  readonly description: string | null;
  readonly location: string;
  readonly maxAttendees: number;
  /** Without the group leader. */
  readonly registeredAttendees: number;
  readonly groupLeader: Pick<User, 'id' | 'firstName' | 'lastName' | 'avatar'> | null;
}

export interface MemberAt {
  readonly organizationId: number;
  readonly userId: number;
  readonly now: Date;
}

export interface MeetingSummary {
  /** Without cancelled meetings. */
  readonly meetings: number;
  readonly seatsOffered: number;
  /** Without the group leaders. */
  readonly seatsTaken: number;
}

export interface ExportedRows {
  readonly total: number | null;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** The organization's meetings and the service's own, which have no organization; never another organization's. */
export interface Meetings {
  /**
   * The upcoming meetings in which the user has a seat, and those with a waitlist that the user is on. Both lists are
   * in any order and of the same point in time.
   */
  places(member: MemberAt): Promise<Places>;
  /**
   * Returns the same as `places`, for the member with this `idpId`, and the details of the meetings on the page. The
   * page counts each meeting once, in order of start time and then id. The details are in any order, and everything is
   * of the same point in time. Null: there is no such member.
   */
  placesOf(member: {
    readonly organizationId: number;
    readonly idpId: string;
    readonly now: Date;
    readonly page: { readonly offset: number; readonly limit: number };
  }): Promise<PlacesWithDetails | null>;
  /**
   * The meetings in which the user has a seat, that end after `endsAfter` and are not cancelled. Completed ones are
   * included. In any order.
   */
  seatsSince(member: {
    readonly organizationId: number;
    readonly userId: number;
    readonly endsAfter: Date;
  }): Promise<readonly RegisteredPlace[]>;
  /**
   * The details of these meetings, in any order, without those that no longer exist or belong to another organization.
   */
  details(meetings: {
    readonly organizationId: number;
    readonly ids: readonly number[];
  }): Promise<readonly MeetingDetails[]>;
  /**
   * The selected meetings by start time and id, encoded in the form, from one snapshot: changes that are made while
   * the chunks are read do not show.
   * - `json`: the chunks together are the rows as UTF-8 JSON objects separated by commas, each with the columns' `as`
   *   names in the requested order.
   * - `ndjson`: the same objects with a line feed after each.
   * - `csv`: each row is a record of RFC 4180 with CRLF after it, and there is no header. Texts are in quotes, with an
   *   apostrophe before a text that starts like a formula; null is empty; numbers, booleans and times are as in JSON
   *   without quotes.
   *
   * Memory does not grow with the rows. The snapshot is released after the last chunk, or when the reader returns or
   * throws. With a page, `total` counts the whole selection in the same snapshot; without one, it is null. An adapter
   * that limits parallel exports may refuse the first chunk with `too-many-requests` while the organization has
   * several exports running.
   */
  export(request: {
    readonly selection: MeetingSelection;
    readonly columns: readonly ExportColumn[];
    readonly form: ExportForm;
    readonly page: { readonly offset: number; readonly limit: number } | null;
  }): Promise<ExportedRows>;
  /**
   * One summary for each range, in order, of the meetings that start in it: the organization's own and, with
   * `withServiceMeetings`, the service meetings tied to it.
   */
  summarize(request: {
    readonly organizationId: number;
    readonly withServiceMeetings: boolean;
    /** `from` is included, `before` is not. */
    readonly ranges: readonly { readonly from: Date; readonly before: Date }[];
  }): Promise<readonly MeetingSummary[]>;
}

// ── Calendar feeds ─────────────────────────────────────────────────────────────────────────────────────────

/** The private URL from which a member's calendar program reads their meetings. */
export interface CalendarFeed {
  readonly organizationId: number;
  readonly userId: number;
  readonly createdAt: Date;
}

/** A member has at most one feed. It ends with the membership, and a later membership does not restore it. */
export interface CalendarFeeds {
  /** Replaces an older feed of the member, which ends at once; false: there is no such member. */
  create(feed: CalendarFeed & { readonly hash: string }): Promise<boolean>;
  find(hash: string): Promise<CalendarFeed | null>;
  of(member: { readonly organizationId: number; readonly userId: number }): Promise<CalendarFeed | null>;
  /** After that, `find` returns null on every instance. False: there was no feed. */
  revoke(member: { readonly organizationId: number; readonly userId: number }): Promise<boolean>;
}
