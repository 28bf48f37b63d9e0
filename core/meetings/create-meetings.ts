import type { PortsOf } from '../deps.js';
import { readDeps } from '../read-deps.js';
import type { MeetingsOptions } from '../settings.js';
import { type CreateCalendarFeed, createCalendarFeed } from './create-calendar-feed.js';
import { type ExportMeetings, exportMeetings } from './export-meetings.js';
import { type FindCalendarFeed, findCalendarFeed } from './find-calendar-feed.js';
import { type ListOwnMeetings, listOwnMeetings } from './list-own-meetings.js';
import { type ListPastMeetings, listPastMeetings } from './list-past-meetings.js';
import { type ListUpcomingMeetings, listUpcomingMeetings } from './list-upcoming-meetings.js';
import { type ListUserMeetings, listUserMeetings } from './list-user-meetings.js';
import { type PreviewExport, previewExport } from './preview-export.js';
import { type ReadCalendarFeed, readCalendarFeed } from './read-calendar-feed.js';
import { type ReadCalendarMeeting, readCalendarMeeting } from './read-calendar-meeting.js';
import { type ReadMeetingChanges, readMeetingChanges } from './read-meeting-changes.js';
import { type RevokeCalendarFeed, revokeCalendarFeed } from './revoke-calendar-feed.js';
import { type SummarizeMeetings, summarizeMeetings } from './summarize-meetings.js';

/** The ports and settings that the use-cases of this chapter need. */
export const meetingsNeeds = [
  'calendarFeeds.create',
  'calendarFeeds.find',
  'calendarFeeds.of',
  'calendarFeeds.revoke',
  'clock.now',
  'invitations.byUserUuid',
  'links.calendar',
  'links.defaultAvatar',
  'meetings.changes',
  'meetings.details',
  'meetings.export',
  'meetings.places',
  'meetings.placesOf',
  'meetings.seatsSince',
  'meetings.summarize',
  'members.byUserId',
  'members.byUuid',
  'organizations.byId',
  'secrets.newToken',
  'secrets.tokenHash',
  'settings.reportingTimeZone',
  'settings.serviceName',
] as const;

/** The parts of the ports that `createMeetings` needs. */
export type MeetingsPorts = PortsOf<(typeof meetingsNeeds)[number]>;
/** What `createMeetings` returns. */
export type MeetingsUseCases = ReturnType<typeof createMeetings>;

/**
 * Meetings: upcoming ones, exports and calendar feeds.
 *
 * @throws `TypeError` that names every port that is missing and every setting that is wrong.
 */
export function createMeetings(ports: MeetingsPorts, options: MeetingsOptions) {
  const deps = readDeps('createMeetings', meetingsNeeds, { ports, options });
  return {
    /**
     * Lists the upcoming meetings in which a member has a seat or waits for one, one page at a time.
     *
     * @throws `Refusal`: `member-not-found`.
     */
    listUpcomingMeetings: (request: ListUpcomingMeetings) => listUpcomingMeetings(deps, request),
    /**
     * Lists the same meetings as `listUpcomingMeetings`, for the member whom the organization knows under this UUID.
     *
     * @throws `Refusal`: `member-not-found`; `invitation-pending` if the person has not accepted yet.
     */
    listUserMeetings: (request: ListUserMeetings) => listUserMeetings(deps, request),
    /**
     * Lists the same meetings as `listUpcomingMeetings`, for the member's own page.
     *
     * @throws `Refusal`: `member-not-found`.
     */
    listOwnMeetings: (request: ListOwnMeetings) => listOwnMeetings(deps, request),
    /**
     * Lists the meetings in which the member had a seat and which have ended or are completed, the latest first, without
     * canceled ones. Refuses users who are not members.
     *
     * @throws `Refusal`: `member-not-found`.
     */
    listPastMeetings: (request: ListPastMeetings) => listPastMeetings(deps, request),
    /**
     * Exports the organization's meetings with the chosen columns: all of them or, if `page` or `perPage` is given, one
     * page.
     *
     * @throws `Refusal`: `invalid-request` with every parameter that is wrong. Reading the first chunk may throw
     * `too-many-requests` while the organization has several exports running. `TypeError` if `organization.id` is not
     * an id or `form` is unknown.
     */
    exportMeetings: (request: ExportMeetings) => exportMeetings(deps, request),
    /**
     * Returns the first rows of an export and the number of all its rows.
     *
     * @throws `Refusal`: `invalid-request` with every parameter that is wrong; `too-many-requests` while the
     * organization has several exports running. `TypeError` if `organization.id` is not an id.
     */
    previewExport: (request: PreviewExport) => previewExport(deps, request),
    /**
     * Reads what changed among the meetings of the organization's exports, one page at a time, with the meetings that it
     * no longer sees.
     *
     * @throws `Refusal`: `invalid-request` with every parameter that is wrong; `cursor-expired` if deletions after
     * `after` are no longer kept, or if it is later than every change. `TypeError` if `organization.id` is not an id.
     */
    readMeetingChanges: (request: ReadMeetingChanges) => readMeetingChanges(deps, request),
    /**
     * Counts the meetings and seats of each week, without canceled meetings.
     *
     * @throws `TypeError` if `organization.id` is not an id.
     */
    summarizeMeetings: (request: SummarizeMeetings) => summarizeMeetings(deps, request),
    /**
     * Creates a private URL for the member's calendar program; an older one stops working at once.
     *
     * @throws `Refusal`: `member-not-found`. `Error` if `links.calendar` is not set.
     */
    createCalendarFeed: (request: CreateCalendarFeed) => createCalendarFeed(deps, request),
    /**
     * Returns when the member's feed was created, or null if there is none; its URL cannot be read again.
     *
     * @throws `TypeError` if `organizationId` or `userId` is not an id.
     */
    findCalendarFeed: (request: FindCalendarFeed) => findCalendarFeed(deps, request),
    /**
     * Ends the member's feed at once; returns false if there was none.
     *
     * @throws `TypeError` if `organizationId` or `userId` is not an id.
     */
    revokeCalendarFeed: (request: RevokeCalendarFeed) => revokeCalendarFeed(deps, request),
    /**
     * Reads the meetings of a feed's owner, while the feed is not revoked and the owner is a member.
     *
     * @throws `Refusal`: `calendar-feed-unknown`.
     */
    readCalendarFeed: (request: ReadCalendarFeed) => readCalendarFeed(deps, request),
    /**
     * Reads one meeting of the member's own calendar; any other is refused like one that does not exist.
     *
     * @throws `Refusal`: `member-not-found`, `meeting-not-found`.
     */
    readCalendarMeeting: (request: ReadCalendarMeeting) => readCalendarMeeting(deps, request),
  };
}
