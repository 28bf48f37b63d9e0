import type { Organization } from '../access/ports.js';
import type { ExportedMeeting } from '../meetings/encode-row.js';
import type { WaitingStatus } from '../meetings/ports.js';
import type { Role, User } from '../users/ports.js';

/** The records that a suite needs before a test. Write the loader for your own tables. */
export interface Dataset {
  readonly organizations?: readonly Pick<Organization, 'id' | 'name' | 'eap'>[];
  readonly users?: readonly User[];
  readonly memberships?: readonly DatasetMembership[];
  readonly meetings?: readonly DatasetMeeting[];
  readonly registrations?: readonly DatasetRegistration[];
  readonly waitingPlaces?: readonly DatasetWaitingPlace[];
}

export interface DatasetMembership {
  readonly organizationId: number;
  readonly userId: number;
  readonly role: Role;
  readonly idpId: string | null;
}

export interface DatasetMeeting extends ExportedMeeting {
  readonly id: number;
  /** Null: a meeting of the service itself. */
  readonly organizationId: number | null;
  /** The organizations with a program that a service meeting is tied to. */
  readonly eapOrganizationIds: readonly number[];
  readonly endTime: Date;
}

export interface DatasetRegistration {
  readonly meetingId: number;
  readonly userId: number;
  readonly registeredAt: Date;
}

export interface DatasetWaitingPlace {
  readonly meetingId: number;
  readonly userId: number;
  readonly status: WaitingStatus;
  readonly createdAt: Date;
}

/** An organization for tests; ids are the caller's. */
export function anOrganization(
  id: number,
  given: Partial<Pick<Organization, 'name' | 'eap'>> = {},
): Pick<Organization, 'id' | 'name' | 'eap'> {
  return { id, name: `Organization ${id}`, eap: false, ...given };
}

/** A user for tests: every field filled, those that must be unique derived from the id. */
export function aUser(id: number, given: Partial<User> = {}): User {
  return {
    id,
    uuid: testUuid(id),
    email: `user-${id}@example.test`,
    firstName: `First${id}`,
    lastName: `Last${id}`,
    avatar: null,
    createdAt: new Date('2026-01-05T09:00:00.000Z'),
    ...given,
  };
}

/** A meeting for tests: an hour on 2026-11-20, scheduled, in organization 1. */
export function aMeeting(id: number, given: Partial<DatasetMeeting> = {}): DatasetMeeting {
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
    ...given,
  };
}

/** A UUID that says its number. */
export function testUuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}
