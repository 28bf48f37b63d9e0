import type { MemberKey } from '../../users/ports/members.js';
import type { User } from '../../users/user.js';
import type { OrganizationRows } from '../../values/page.js';
import type { ExportColumn, ExportedMeeting, ExportFormat } from '../export-columns.js';
import type { MeetingSelection } from '../meeting.js';

/** A member's seat in a meeting. */
export interface RegisteredPlace {
  /** The meeting in which the member has the place. */
  readonly meetingId: number;
  /** When that meeting begins; places are ordered by it. */
  readonly startTime: Date;
  /** When the member got the seat. */
  readonly registeredAt: Date;
}

/**
 * Where a place on the waitlist stands. `rejected` and `expired` places are over: they do not show in the member's
 * calendar.
 */
export type WaitingStatus = 'waiting' | 'accepted' | 'rejected' | 'offered' | 'expired';

/** A member's place on the waitlist of a meeting that has one. */
export interface WaitingPlace extends Pick<RegisteredPlace, 'meetingId' | 'startTime'> {
  /** Where the place stands. */
  readonly status: WaitingStatus;
  /** When the offer of a seat ends; null: not known. Left out by `placesOf`: the API does not tell it. */
  readonly offeredUntil?: Date | null;
}

/** A member's places in upcoming meetings. A meeting can be in both lists. */
export interface Places {
  /** Seats, in any order. */
  readonly registered: readonly RegisteredPlace[];
  /** Places on waitlists, in any order, also rejected and expired ones. */
  readonly waiting: readonly WaitingPlace[];
}

/** A member's places in the upcoming meetings of one page, with those meetings. */
export interface PlacesOnPage extends Places {
  /** The number of meetings on all pages. */
  readonly total: number;
  /** The meetings on the page, in any order. */
  readonly details: readonly MeetingDetails[];
}

/** What a member sees of a meeting. */
export interface MeetingDetails {
  /** A whole number from 1 to 2^53 - 1. */
  readonly id: number;
  /** The title. */
  readonly name: string;
  /** When the meeting begins. */
  readonly startTime: Date;
  /** When the meeting ends; it is upcoming until then. */
  readonly endTime: Date;
  /** What the meeting is about, in a few words. */
  readonly topic: string;
  /** A longer text; null: none. */
  readonly description: string | null;
  /** Where it takes place, or the service on which it is held. */
  readonly location: string;
  /** The number of seats, as the meeting was set up. */
  readonly maxAttendees: number;
  /** The number of taken seats, without the group leader. */
  readonly registeredAttendees: number;
  /** The user who leads the meeting; null: nobody does. */
  readonly groupLeader: Pick<User, 'id' | 'firstName' | 'lastName' | 'avatar'> | null;
  /** Whether the organization sees who is in it: it is the organization's own and not private. */
  readonly showsNames: boolean;
}

/**
 * Called before long descriptions are read, with their size together in bytes; they are read when it resolves. If it
 * rejects, so does the method. A storage whose texts are in memory need not call it.
 */
export type BeforeLongTexts = (bytes: number) => Promise<void>;

/** A member at a point in time. */
export interface MemberAt extends MemberKey {
  /** The time at which a meeting counts as upcoming or not. */
  readonly now: Date;
}

/** A meeting in the list of those that an organization sees. */
export interface ListedMeeting
  extends Pick<
    ExportedMeeting,
    'id' | 'name' | 'startTime' | 'status' | 'topic' | 'host' | 'maxAttendees' | 'privacy'
  > {
  /** When the meeting ends; it is upcoming until then. */
  readonly endTime: Date;
  /** The number of taken seats, without the group leader's and with those of erased people. */
  readonly seatsTaken: number;
  /**
   * The number of people on the waitlist who are waiting or are offered a seat, and have no seat. 0 if the meeting has no
   * waitlist.
   */
  readonly waiting: number;
  /** How many of them are offered a seat. */
  readonly offered: number;
  /** Whether it is a meeting of the service itself, which is tied to the organization. */
  readonly isOfService: boolean;
}

/** Everything that an organization sees of a meeting, apart from the people in it. */
export interface FoundMeeting extends ListedMeeting, ExportedMeeting {
  /** The user who leads the meeting; null: nobody does. */
  readonly groupLeader: Pick<User, 'id' | 'firstName' | 'lastName'> | null;
}

/** A member of the organization in one of its meetings. */
export interface Attendee {
  /** Who it is. */
  readonly user: Pick<User, 'id' | 'firstName' | 'lastName'>;
  /** When the member got the seat; null: the member has none, and is on the waitlist. */
  readonly registeredAt: Date | null;
  /** Where the place on the waitlist stands; null: the member has a seat. */
  readonly waitingStatus: WaitingStatus | null;
  /** When the offer of a seat ends; null: not known, or the member has a seat. */
  readonly offeredUntil: Date | null;
}

/** A page of the members in a meeting. */
export interface AttendeesPage {
  /** Those with a seat first, then those who wait. */
  readonly attendees: readonly Attendee[];
  /** The number of members on all pages. */
  readonly total: number;
  /** How many of them have a seat. */
  readonly seated: number;
}

/** How many meetings and seats a period has. */
export interface MeetingSummary {
  /** The number of meetings that start in the period, without canceled ones. */
  readonly meetings: number;
  /** The sum of their `maxAttendees`. */
  readonly seatsOffered: number;
  /** The number of seats that members have in them, without the group leaders. */
  readonly seatsTaken: number;
}

/** The result of `Meetings.export`. */
export interface ExportedRows {
  /** The number of meetings in the whole selection; null: no page was requested. */
  readonly total: number | null;
  /** The encoded rows as UTF-8. A chunk may hold part of a row or many rows. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** A place in the changes of an organization's meetings, which a reader has reached. */
export interface ChangeCursor {
  /** The time of the last change that the reader has got; to the millisecond. */
  readonly changedAt: Date;
  /** The meeting of that change. Changes of the same time are ordered by it. */
  readonly meetingId: number;
  /**
   * The time of the newest change of all when the reader last had every change, or when the reader began. The reader
   * needs every later deletion.
   */
  readonly since: Date;
  /**
   * How often the history had been cut off when the reader got here: it went on from an older state, as after a restored
   * backup. What the reader has from after a later cut may be lost.
   */
  readonly cuts: number;
}

/** The latest change of a meeting, as one organization sees it. */
export interface MeetingChange {
  /** The meeting. */
  readonly id: number;
  /** When the meeting changed, or was first or last visible to the organization; to the millisecond. */
  readonly changedAt: Date;
  /**
   * The meeting's columns as a JSON object, as `Meetings.export` encodes it. Null: the organization no longer sees the
   * meeting, because it was deleted or now belongs to others.
   */
  readonly row: string | null;
}

/** A page of changes. */
export interface MeetingChangesPage {
  /** By time and then by meeting; each meeting at most once. */
  readonly changes: readonly MeetingChange[];
  /** Whether there are further changes already. */
  readonly hasMore: boolean;
  /** The place after the page. */
  readonly next: ChangeCursor;
}

/** The organization's meetings and the service's own, which have no organization; never another organization's. */
export interface Meetings {
  /**
   * The upcoming meetings in which the user has a seat, and those with a waitlist that the user is on. Both lists are
   * in any order and of the same point in time. Waiting places come with the end of the offer. With `words`, only meetings
   * whose name, topic and host together contain each of them, see `searchPattern`.
   */
  places(member: MemberAt & { readonly words?: readonly string[] | undefined }): Promise<Places>;
  /**
   * Returns the part of `places` that is on the page, without the ends of offers, for the member with this `idpId`, and
   * the details of those meetings. Pages and the total count each meeting once, in order of start time and then id. All
   * three lists are in any order, and everything is of the same point in time, except that long descriptions may be newer.
   * Null: there is no such member.
   */
  placesOf(member: {
    readonly organizationId: number;
    readonly idpId: string;
    readonly now: Date;
    readonly page: { readonly offset: number; readonly limit: number };
    readonly beforeLongTexts?: BeforeLongTexts | undefined;
  }): Promise<PlacesOnPage | null>;
  /**
   * The meetings in which the user has a seat, that end after `endsAfter` and are not canceled. Completed ones are
   * included. In any order. `words` as in `places`.
   */
  seatsSince(
    member: MemberKey & { readonly endsAfter: Date; readonly words?: readonly string[] | undefined },
  ): Promise<readonly RegisteredPlace[]>;
  /**
   * The details of these meetings, in any order, without those that no longer exist or belong to another organization.
   */
  details(meetings: {
    readonly organizationId: number;
    readonly ids: readonly number[];
    readonly beforeLongTexts?: BeforeLongTexts | undefined;
  }): Promise<readonly MeetingDetails[]>;
  /**
   * The selected meetings by start time and id, encoded in the form, from one snapshot: changes that are made while
   * the chunks are read do not show.
   * - `json`: the chunks together are the rows as UTF-8 JSON objects separated by commas, each with the columns' `as`
   *   names in the requested order.
   * - `ndjson`: the same objects with a line feed after each.
   * - `csv`: each row is a record of RFC 4180 with CRLF after it, and there is no header. Texts are in quotes, with an
   *   apostrophe before a formula, as `csvText` writes them; null is empty; numbers, booleans and times are as in JSON
   *   without quotes.
   *
   * In every form, a price that is null is 0.
   *
   * An export of many rows has several chunks, so that memory does not grow with the rows. The snapshot is released
   * after the last chunk, or when the reader returns or throws. An open snapshot blocks no writer. With a page, `total` counts the whole selection in the same snapshot; without one, it is null. An adapter
   * that limits parallel exports may refuse the first chunk with `too-many-requests` while the organization has
   * several exports running.
   */
  export(request: {
    readonly selection: MeetingSelection;
    readonly columns: readonly ExportColumn[];
    readonly form: ExportFormat;
    readonly page: { readonly offset: number; readonly limit: number } | null;
  }): Promise<ExportedRows>;
  /**
   * The latest change of each meeting after the place, in the order in which the changes were committed, from one
   * snapshot: up to `limit`, and fewer if their rows are long, but at least one if there is any. The organization sees its own meetings and, while it has an Employee Assistance Program, the service
   * meetings tied to it. A meeting that it no longer sees is a change without a row, which is kept for 30 days or longer.
   *
   * A reader who always continues at `next` knows after the last page exactly the meetings that the organization sees:
   * no change that is committed later comes before `next`. Switching the program on or off changes every meeting that
   * is tied to the organization.
   *
   * Null: the place is too old, because a deletion that the reader needs is no longer kept, or later than the newest
   * change, because the data were restored from an older backup.
   */
  changes(request: {
    readonly organizationId: number;
    /** Null: from the oldest change. */
    readonly after: ChangeCursor | null;
    readonly limit: number;
    readonly columns: readonly ExportColumn[];
  }): Promise<MeetingChangesPage | null>;
  /**
   * A page of the selected meetings, by start time and then id, or the other way round, with the number of all and of the
   * canceled ones among them, all of one state. `words` as in `places`. A page past the end has no meetings and the same
   * numbers.
   */
  list(request: {
    readonly selection: MeetingSelection;
    readonly words?: readonly string[] | undefined;
    readonly order: 'earliest' | 'latest';
    readonly page: { readonly offset: number; readonly limit: number };
  }): Promise<{
    readonly meetings: readonly ListedMeeting[];
    readonly total: number;
    readonly canceled: number;
  }>;
  /**
   * Finds a meeting of the organization or, with `withServiceMeetings`, a service meeting tied to it. Null: there is no
   * such meeting, or the organization does not see it.
   */
  find(meeting: {
    readonly organizationId: number;
    readonly withServiceMeetings: boolean;
    readonly meetingId: number;
  }): Promise<FoundMeeting | null>;
  /**
   * The organization's members who have a seat in the meeting, without its group leader, by the time at which they got
   * it; then those on its waitlist without a seat, by the time at which they joined it; then by user. No one if the meeting
   * is not the organization's own; no one waits if it has no waitlist.
   */
  attendees(request: OrganizationRows & { readonly meetingId: number }): Promise<AttendeesPage>;
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
