import type { Organization } from '../access/ports/organizations.js';
import type { ExportedMeeting } from '../meetings/export-columns.js';
import type { WaitingStatus } from '../meetings/ports/meetings.js';
import type { Role } from '../users/ports/members.js';
import type { User } from '../users/user.js';

/** The records that a suite needs. You write the function that loads them into your own tables. */
export interface Dataset {
  /** New ones have no time zone, access key or webhook. The suites set those through the ports. */
  readonly organizations?: readonly Pick<Organization, 'id' | 'name' | 'eap'>[];
  /** New ones have no password. A user need not be a member of any organization. */
  readonly users?: readonly User[];
  /** Their organizations and users are in this dataset or were loaded before; at most one per organization and user. */
  readonly memberships?: readonly DatasetMembership[];
  /** Their organizations and group leaders are in this dataset or were loaded before. */
  readonly meetings?: readonly DatasetMeeting[];
  /**
   * Stored like `meetings`, but the ones that are new or differ from what is stored get the time of the load as
   * `updatedAt`, which is later than that of every earlier load.
   */
  readonly changedMeetings?: readonly DatasetMeeting[];
  /** The ids of stored meetings to remove. They have no registrations or waiting places. */
  readonly deletedMeetings?: readonly number[];
  /** Seats taken, at most one per meeting and user. */
  readonly registrations?: readonly DatasetRegistration[];
  /** Places on waitlists, at most one per meeting and user. */
  readonly waitingPlaces?: readonly DatasetWaitingPlace[];
}

/** Makes a user a member of an organization, known there by the user's own UUID. */
export interface DatasetMembership {
  /** The organization that the user is a member of. */
  readonly organizationId: number;
  /** The user who is the member, possibly of other organizations too. */
  readonly userId: number;
  /** The role in this organization only. */
  readonly role: Role;
  /** Unique within the organization; null: its identity provider does not know the member. */
  readonly idpId: string | null;
}

/** A stored meeting: the fields that exports can contain, and those that decide who sees it and when. */
export interface DatasetMeeting extends ExportedMeeting {
  /** Null: a meeting of the service itself. */
  readonly organizationId: number | null;
  /** The organizations with an Employee Assistance Program that a service meeting is tied to. */
  readonly eapOrganizationIds: readonly number[];
  /** The meeting is upcoming until this time. It is stored on its own, not derived from `duration`. */
  readonly endTime: Date;
}

/** A user's seat in a meeting. */
export interface DatasetRegistration {
  /** The meeting may have ended, be canceled, or belong to an organization that the user is not a member of. */
  readonly meetingId: number;
  /** Who has the seat. The seat of the meeting's group leader is not counted as an attendee. */
  readonly userId: number;
  /** When the user took the seat. The ports return it to the millisecond. */
  readonly registeredAt: Date;
}

/** A user's place on the waitlist of a meeting. */
export interface DatasetWaitingPlace {
  /** The ports return the place only if this meeting has a waitlist. */
  readonly meetingId: number;
  /** Who has the place. The same user can also have a seat in the meeting. */
  readonly userId: number;
  /** The ports return it as it was loaded, also if the place is over. */
  readonly status: WaitingStatus;
  /** When the user joined the waitlist. Only `PersonalData.read` returns it. */
  readonly createdAt: Date;
  /** When the offer of a seat ends; null or left out: not known. The ports return it to the millisecond. */
  readonly offeredUntil?: Date | null;
}

/** An organization for tests, with the given id. */
export function anOrganization(
  id: number,
  fields: Partial<Pick<Organization, 'name' | 'eap'>> = {},
): Pick<Organization, 'id' | 'name' | 'eap'> {
  return { id, name: `Organization ${id}`, eap: false, ...fields };
}

/** A user for tests. The fields that must be unique are derived from the id. */
export function aUser(id: number, fields: Partial<User> = {}): User {
  return {
    id,
    uuid: testUuid(id),
    email: `user-${id}@example.test`,
    firstName: `First${id}`,
    lastName: `Last${id}`,
    avatar: null,
    createdAt: new Date('2026-01-05T09:00:00.000Z'),
    ...fields,
  };
}

/** A user's membership for tests: as a member of organization 1, whose identity provider does not know them. */
export function aMembership(userId: number, fields: Partial<DatasetMembership> = {}): DatasetMembership {
  return { organizationId: 1, userId, role: 'member', idpId: null, ...fields };
}

/** A meeting for tests: one hour on 2026-11-20, scheduled, in organization 1. */
export function aMeeting(id: number, fields: Partial<DatasetMeeting> = {}): DatasetMeeting {
  return {
    id,
    organizationId: 1,
    eapOrganizationIds: [],
    name: `Meeting ${id}`,
    meetingType: 'Group',
    startTime: new Date('2026-11-20T18:00:00.000Z'),
    endTime: new Date('2026-11-20T19:00:00.000Z'),
    duration: 60,
    status: 'scheduled',
    topic: 'Grief',
    specialFocus: '',
    host: 'Dana K.',
    location: 'zoom',
    price: null,
    maxAttendees: 12,
    description: null,
    groupLeaderId: null,
    privacy: false,
    eap: false,
    allowMeetingDonation: false,
    invitationOnly: false,
    waitList: false,
    updatedAt: new Date('2026-11-02T08:00:00.000Z'),
    ...fields,
  };
}

/** A UUID that ends with this number. */
export function testUuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}
