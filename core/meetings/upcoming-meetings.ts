import type { Uses } from '../deps.js';
import { type Page, pageOffset, totalPages } from '../values/page.js';
import { durationText, minutesBetween } from './duration.js';
import { leaderName } from './leader-name.js';
import { type MergedPlace, mergePlaces } from './merge-places.js';
import type { BeforeLongTexts, MeetingDetails, MemberAt } from './ports/meetings.js';

/** One page of a member's upcoming meetings. */
export interface UpcomingMeetings {
  /** From 1, as requested after clamping; it may be past the end. */
  readonly currentPage: number;
  /** The size of a page, from 1 to 100, not the number of meetings on this one. */
  readonly items: number;
  /** The number of meetings on all pages. */
  readonly totalItems: number;
  /** 0 if there are no meetings. */
  readonly totalPages: number;
  /** By start time and then id; empty for a page past the end. */
  readonly meetings: readonly UpcomingMeeting[];
}

/** One page of a member's meetings, with its time. */
export interface OwnMeetings extends UpcomingMeetings {
  /** When the list was read. */
  readonly asOf: Date;
}

/** A meeting with the member's place in it. */
export interface UpcomingMeeting
  extends Omit<MeetingDetails, 'groupLeader'>,
    Pick<MergedPlace, 'registeredAt' | 'waitingStatus'> {
  /** The time from start to end in words, such as `1 hour 30 minutes`. */
  readonly duration: string;
  /** The same in whole minutes. */
  readonly durationInMinutes: number;
  /**
   * The user who leads the meeting: `name` is the first name and last initial, `avatar` the URL of a picture, or of the
   * default one. Null: nobody leads it.
   */
  readonly groupLeader: { readonly id: number; readonly name: string; readonly avatar: string } | null;
  /** When the offer of a seat ends; null: not known, and always in the list that is found by `idpId`. */
  readonly offeredUntil: Date | null;
}

/** One page of the upcoming meetings of a user who is known to be a member. */
export async function upcomingOf(
  deps: Uses<'links.defaultAvatar' | 'meetings.details' | 'meetings.places'>,
  {
    page,
    beforeLongTexts,
    ...member
  }: MemberAt & {
    readonly page: Page;
    readonly words?: readonly string[];
    readonly beforeLongTexts?: BeforeLongTexts | undefined;
  },
): Promise<UpcomingMeetings> {
  const { registered, waiting } = await deps.meetings.places(member);
  const all = mergePlaces(registered, waiting);
  const places = all.slice(pageOffset(page), pageOffset(page) + page.size);
  const ids = places.map(({ meetingId }) => meetingId);
  const { organizationId } = member;
  const details = await deps.meetings.details({ organizationId, ids, beforeLongTexts });
  return upcomingPage(deps, { places, details, total: all.length, page });
}

export function upcomingPage(
  { links }: Uses<'links.defaultAvatar'>,
  {
    places,
    details,
    total,
    page,
  }: {
    /** The places on the page, in order. */
    readonly places: readonly MergedPlace[];
    readonly details: readonly MeetingDetails[];
    /** The number of meetings on all pages. */
    readonly total: number;
    readonly page: Page;
  },
): UpcomingMeetings {
  const byId = new Map(details.map((meeting) => [meeting.id, meeting]));
  return {
    currentPage: page.page,
    items: page.size,
    totalItems: total,
    totalPages: totalPages(total, page.size),
    meetings: places.flatMap((place) => {
      const meeting = byId.get(place.meetingId);
      return meeting === undefined ? [] : [describe(meeting, place, links.defaultAvatar)];
    }),
  };
}

function describe(meeting: MeetingDetails, place: MergedPlace, defaultAvatar: string): UpcomingMeeting {
  const minutes = minutesBetween(meeting);
  const leader = meeting.groupLeader;
  // Copied field by field: a spread of so many fields takes twice as long as the rest of the function.
  return {
    id: meeting.id,
    name: meeting.name,
    startTime: meeting.startTime,
    endTime: meeting.endTime,
    topic: meeting.topic,
    description: meeting.description,
    location: meeting.location,
    maxAttendees: meeting.maxAttendees,
    registeredAttendees: meeting.registeredAttendees,
    showsNames: meeting.showsNames,
    duration: durationText(minutes),
    durationInMinutes: minutes,
    groupLeader:
      leader === null
        ? null
        : { id: leader.id, name: leaderName(leader), avatar: leader.avatar ?? defaultAvatar },
    waitingStatus: place.waitingStatus,
    offeredUntil: place.offeredUntil,
    registeredAt: place.registeredAt,
  };
}
