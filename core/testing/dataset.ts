import type { Organization } from '../access/ports.js';
import type { ExportedMeeting } from '../meetings/encode-row.js';
import type { WaitingStatus } from '../meetings/ports.js';
import type { Role, User } from '../users/ports.js';

/** The records that a suite needs before a test. You write the function that loads them into your own tables. */
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
  /** The organizations with an Employee Assistance Program that a service meeting is tied to. */
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
    ...fields,
  };
}

/** A UUID that ends with this number. */
export function testUuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}
