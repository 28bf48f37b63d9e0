import type { Uses } from '../deps.js';
import { type Page, pageOffset, totalPages } from '../values/page.js';
import { durationText, minutesBetween } from './duration.js';
import { leaderName } from './leader-name.js';
import type { MergedPlace } from './merge-places.js';
import type { MeetingDetails, WaitingStatus } from './ports.js';

export interface UpcomingMeetings {
  readonly currentPage: number;
  readonly items: number;
  readonly totalItems: number;
  readonly totalPages: number;
  readonly meetings: readonly UpcomingMeeting[];
}

export interface UpcomingMeeting extends Omit<MeetingDetails, 'groupLeader'> {
  /** A text for people, such as `1 hour 30 minutes`. */
  readonly duration: string;
  readonly durationInMinutes: number;
  readonly groupLeader: { readonly id: number; readonly name: string; readonly avatar: string } | null;
  readonly waitingStatus: WaitingStatus | null;
  /** Null: the member has no seat. */
  readonly registeredAt: Date | null;
}

export function upcomingPage(
  { links }: Uses<'links.defaultAvatar'>,
  {
    places,
    details,
    page,
  }: {
    readonly places: readonly MergedPlace[];
    readonly details: readonly MeetingDetails[];
    readonly page: Page;
  },
): UpcomingMeetings {
  const byId = new Map(details.map((meeting) => [meeting.id, meeting]));
  return {
    currentPage: page.page,
    items: page.size,
    totalItems: places.length,
    totalPages: totalPages(places.length, page.size),
    meetings: onPage(places, page).flatMap((place) => {
      const meeting = byId.get(place.meetingId);
      return meeting === undefined ? [] : [describe(meeting, place, links.defaultAvatar)];
    }),
  };
}

export function onPage(places: readonly MergedPlace[], page: Page): readonly MergedPlace[] {
  return places.slice(pageOffset(page), pageOffset(page) + page.size);
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
    duration: durationText(minutes),
    durationInMinutes: minutes,
    groupLeader:
      leader === null
        ? null
        : { id: leader.id, name: leaderName(leader), avatar: leader.avatar ?? defaultAvatar },
    waitingStatus: place.waitingStatus,
    registeredAt: place.registeredAt,
  };
}
