import type { Organization } from '../access/ports/organizations.js';
import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import { checkId, mayBeId } from '../values/ids.js';
import { clampPage, type PageOf, pageOf, pageOffset } from '../values/page.js';
import { leaderName } from './leader-name.js';
import { type MeetingState, meetingState } from './meeting.js';
import type { Attendee, FoundMeeting } from './ports/meetings.js';

/** The request of `readMeeting`. */
export interface ReadMeeting {
  /** The organization that `authorize` or `authorizeMember` returned, with its `eap`. */
  readonly organization: Organization;
  /** The id of a meeting of `listMeetings`. */
  readonly meetingId: number;
  /** The page of people, from 1, which is the default; limited to its range and never refused. A page has 50 people. */
  readonly page?: unknown;
}

/** A meeting as its organization sees it. */
export interface MeetingReport {
  /** The meeting with its seats. */
  readonly meeting: Omit<FoundMeeting, 'groupLeader'> & {
    /** What has become of it. */
    readonly state: MeetingState;
    /** First name and last initial, such as `Dana K.`; null: nobody leads the meeting. */
    readonly groupLeader: string | null;
  };
  /**
   * The members of the organization who have a seat, and those who wait. Null: their names are not shown, because the
   * meeting is private or belongs to the service.
   */
  readonly people: (PageOf<Attendee> & { readonly seated: number }) | null;
  /** When it was read. */
  readonly asOf: Date;
}

/**
 * Reads one of the meetings that `listMeetings` lists, with the people in it. Names are those of the organization's own
 * members in its own meetings, unless the meeting is private; everyone else is only counted.
 *
 * @throws `Refusal`: `meeting-not-found`. `TypeError` if `organization.id` is not an id.
 */
export async function readMeeting(
  { meetings, clock }: Uses<'clock.now' | 'meetings.attendees' | 'meetings.find'>,
  { organization, meetingId, page }: ReadMeeting,
): Promise<MeetingReport> {
  const organizationId = checkId('organization.id', organization.id);
  const key = { organizationId, meetingId };
  const found = mayBeId('meetingId', meetingId)
    ? await meetings.find({ ...key, withServiceMeetings: organization.eap })
    : null;
  if (found === null) throw new Refusal('meeting-not-found', 'There is no such meeting');

  const asOf = clock.now();
  const groupLeader = found.groupLeader && leaderName(found.groupLeader);
  const meeting = { ...found, groupLeader, state: meetingState(found, asOf) };
  if (found.privacy || found.isOfService) return { meeting, people: null, asOf };
  const requested = clampPage({ page, defaultSize: 50 });
  const { attendees, total, seated } = await meetings.attendees({
    ...key,
    ...{ offset: pageOffset(requested), limit: requested.size },
  });
  return { meeting, people: { ...pageOf(requested, { items: attendees, total }), seated }, asOf };
}
