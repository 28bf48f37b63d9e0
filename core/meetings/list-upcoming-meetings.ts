import type { Organization } from '../access/ports.js';
import type { Deps } from '../deps.js';
import { Refusal } from '../errors.js';
import type { User } from '../users/ports.js';
import { clampPage, type Page, pageOffset, totalPages } from '../values/page.js';
import { isStorable } from '../values/text.js';
import { durationText, minutesBetween } from './duration.js';
import type { MeetingDetails, RegisteredPlace, WaitingPlace, WaitingStatus } from './ports.js';

export interface ListUpcomingMeetings {
  readonly organization: Pick<Organization, 'id'>;
  /** The id under which the organization's identity provider knows the member. */
  readonly idpId: string;
  /** These two are clamped and never refused (decision 8). */
  readonly page?: unknown;
  readonly items?: unknown;
}

export interface UpcomingMeetings {
  readonly currentPage: number;
  readonly items: number;
  readonly totalItems: number;
  readonly totalPages: number;
  readonly meetings: readonly UpcomingMeeting[];
}

export interface UpcomingMeeting extends Omit<MeetingDetails, 'groupLeader'> {
  /** For people: `1 hour 30 minutes`. */
  readonly duration: string;
  readonly durationInMinutes: number;
  readonly groupLeader: { readonly id: number; readonly name: string; readonly avatar: string } | null;
  readonly waitingStatus: WaitingStatus | null;
  /** Null: the member has no seat. */
  readonly registeredAt: Date | null;
}

/** A page of the upcoming meetings in which a member has a seat or waits for one (section 4.4). */
export async function listUpcomingMeetings(
  deps: Pick<Deps, 'meetings' | 'clock' | 'settings'>,
  { organization, idpId, page, items }: ListUpcomingMeetings,
): Promise<UpcomingMeetings> {
  const asked = clampPage({ page, size: items, defaultSize: 10 });
  const found = isStorable(idpId)
    ? await deps.meetings.placesOf({
        ...{ organizationId: organization.id, idpId, now: deps.clock.now() },
        page: { offset: pageOffset(asked), limit: asked.size },
      })
    : null;
  if (found === null) throw new Refusal('member-not-found', `User not found on ${deps.settings.serviceName}`);
  return upcomingPage(deps, {
    places: mergePlaces(found.registered, found.waiting),
    details: found.details,
    page: asked,
  });
}

export interface ListOwnMeetings {
  readonly organizationId: number;
  readonly userId: number;
  readonly page?: unknown;
}

/** What `listUpcomingMeetings` gives, for the member's own page. Only a member of the organization has one. */
export async function listOwnMeetings(
  deps: Pick<Deps, 'members' | 'meetings' | 'clock' | 'settings'>,
  { organizationId, userId, page }: ListOwnMeetings,
): Promise<UpcomingMeetings> {
  const member = await deps.members.byUserId({ organizationId, userId });
  if (member === null) throw new Refusal('member-not-found', 'You are not a member of this organization');
  const now = deps.clock.now();
  const { registered, waiting } = await deps.meetings.places({ organizationId, userId, now });
  const asked = clampPage({ page, size: undefined, defaultSize: 25 });
  const places = mergePlaces(registered, waiting);
  const ids = onPage(places, asked).map(({ meetingId }) => meetingId);
  const details = ids.length === 0 ? [] : await deps.meetings.details({ organizationId, ids });
  return upcomingPage(deps, { places, details, page: asked });
}

function onPage(places: readonly MergedPlace[], page: Page): readonly MergedPlace[] {
  return places.slice(pageOffset(page), pageOffset(page) + page.size);
}

function upcomingPage(
  { settings }: Pick<Deps, 'settings'>,
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
      return meeting === undefined ? [] : [describe(meeting, place, settings.links.defaultAvatar)];
    }),
  };
}

/** A member's place in a meeting: a seat, a place in the queue, or both. */
export interface MergedPlace {
  readonly meetingId: number;
  readonly startTime: Date;
  readonly registeredAt: Date | null;
  readonly waitingStatus: WaitingStatus | null;
}

/** One entry a meeting, by start time and then id, though the member be both registered and waitlisted (decision 13). */
export function mergePlaces(
  registered: readonly RegisteredPlace[],
  waiting: readonly WaitingPlace[],
): readonly MergedPlace[] {
  const places = new Map<number, MergedPlace>();
  for (const { meetingId, startTime, registeredAt } of registered) {
    places.set(meetingId, { meetingId, startTime, registeredAt, waitingStatus: null });
  }
  for (const { meetingId, startTime, status } of waiting) {
    const registeredAt = places.get(meetingId)?.registeredAt ?? null;
    places.set(meetingId, { meetingId, startTime, registeredAt, waitingStatus: status });
  }
  return [...places.values()].sort(
    (one, other) => one.startTime.getTime() - other.startTime.getTime() || one.meetingId - other.meetingId,
  );
}

function describe(meeting: MeetingDetails, place: MergedPlace, defaultAvatar: string): UpcomingMeeting {
  const minutes = minutesBetween(meeting);
  const leader = meeting.groupLeader;
  // Field by field: a spread of this many takes twice as long as all the rest.
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

/** First name plus last initial: `Dana K.` */
export function leaderName({ firstName, lastName }: Pick<User, 'firstName' | 'lastName'>): string {
  const [initial] = lastName.trim();
  return initial === undefined ? firstName : `${firstName} ${initial.toUpperCase()}.`;
}
