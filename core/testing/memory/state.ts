import type { ApiCall } from '../../access/ports/api-calls.js';
import type { AuditEntry, NewAuditEntry } from '../../access/ports/audit-trail.js';
import type { AccessKey, Organization } from '../../access/ports/organizations.js';
import type { CalendarFeed } from '../../meetings/ports/calendar-feeds.js';
import type { DirectoryEntry, DirectoryRequest } from '../../users/ports/directory.js';
import type { DirectoryToken } from '../../users/ports/directory-tokens.js';
import type { Identity } from '../../users/ports/identities.js';
import type { Invitation } from '../../users/ports/invitations.js';
import type { LoginLink } from '../../users/ports/login-links.js';
import type { NewMail } from '../../users/ports/mails.js';
import type { CodeSecret, Passkey } from '../../users/ports/second-factors.js';
import type { Session } from '../../users/ports/sessions.js';
import type { SetupLink } from '../../users/ports/setup-links.js';
import type { SignOn } from '../../users/ports/sign-ons.js';
import type { User } from '../../users/user.js';
import type { EventName, NewEvent } from '../../webhooks/events.js';
import type { Delivery, RecordedAttempt } from '../../webhooks/ports/deliveries.js';
import type { Webhook, WebhookHealth } from '../../webhooks/ports/webhooks.js';
import type {
  DatasetMeeting,
  DatasetMembership,
  DatasetRegistration,
  DatasetWaitingPlace,
} from '../dataset.js';

export interface StoredOrganization extends Organization {
  readonly accessKeyHash: string | null;
  readonly accessKeyCreatedAt: Date | null;
  readonly accessKeyUsedAt: Date | null;
  readonly accessKeyLabel: KeyLabel;
  readonly previousHash: string | null;
  readonly previousUsedAt: Date | null;
  readonly previousLabel: KeyLabel;
}

type KeyLabel = Pick<AccessKey, 'lastDigits' | 'name'>;

export interface StoredUser extends User {
  readonly passwordHash: string | null;
  readonly signedInAt?: Date | undefined;
}

export interface StoredMembership extends DatasetMembership {
  readonly uuid: string;
  readonly joinedAt: Date;
  readonly needsSignOn?: boolean | undefined;
}

export interface StoredEvent extends NewEvent {
  readonly position: number;
}

export interface StoredDelivery {
  readonly id: number;
  readonly organizationId: number;
  readonly eventId: string;
  readonly eventName: EventName;
  body: string;
  readonly isTest: boolean;
  readonly createdAt: Date;
  readonly about: NewEvent['about'];
  state: Delivery['state'];
  finishedAt: Date | null;
  isDropped: boolean;
  isErased: boolean;
  claim: string | null;
  claimedAt: Date | null;
  claims: number;
  attempts: readonly RecordedAttempt[];
}

export interface StoredCall {
  readonly fingerprint: string;
  readonly run: string;
  readonly at: Date;
  readonly encryptedAnswer: string | null;
}

export interface StoredMail extends NewMail {
  readonly id: number;
  readonly organizationId: number | null;
  readonly invitationId: string | null;
  readonly dueAt: Date;
  readonly claim: string | null;
  readonly attempts: number;
}

export interface StoredSessionState extends Omit<Session, 'user'> {
  readonly userId: number;
  readonly sid: string | null;
}

export interface StoredDirectoryPerson {
  readonly organizationId: number;
  readonly uuid: string;
  /** Null: the person was removed. */
  readonly entry: DirectoryEntry | null;
  /** The membership that has ended. Of a person who was removed, only the user counts. */
  readonly kept: StoredMembership | null;
}

export type State = ReturnType<typeof emptyState>;

/** A state without any record. */
export function emptyState() {
  return {
    organizations: new Map<number, StoredOrganization>(),
    users: new Map<number, StoredUser>(),
    memberships: [] as readonly StoredMembership[],
    invitations: new Map<string, Invitation>(),
    loginLinks: new Map<string, LoginLink>(),
    sessions: new Map<string, StoredSessionState>(),
    /** By organization. */
    setupLinks: new Map<number, SetupLink>(),
    signOns: new Map<number, SignOn>(),
    /** By organization, issuer and subject. */
    identities: new Map<string, Identity>(),
    /** By the id of the credential. */
    passkeys: new Map<string, Passkey & { readonly userId: number }>(),
    /** By user. */
    codeSecrets: new Map<number, CodeSecret & { readonly lastStep: number }>(),
    /** Hashes by user. */
    recoveryCodes: new Map<number, readonly string[]>(),
    /** The organizations that require a second factor. */
    requiringFactor: new Set<number>(),
    /** By organization and UUID. */
    directoryPeople: new Map<string, StoredDirectoryPerson>(),
    /** By hash. */
    directoryTokens: new Map<string, DirectoryToken>(),
    /** By organization, in the order of recording. */
    directoryRequests: new Map<number, readonly DirectoryRequest[]>(),
    passwordResets: new Map<string, { readonly userId: number; readonly expiresAt: Date }>(),
    mails: new Map<number, StoredMail>(),
    meetings: new Map<number, DatasetMeeting>(),
    /** By organization and meeting: when the organization's view of the meeting last changed. */
    meetingChanges: new Map<number, Map<number, Date>>(),
    /** The time of the latest change of meetings. */
    changedAt: new Date('2026-01-01T00:00:00.000Z'),
    registrations: new Map<string, DatasetRegistration>(),
    waitingPlaces: new Map<string, DatasetWaitingPlace>(),
    webhooks: new Map<number, Webhook>(),
    /** By organization, with the largest step for which a notice was returned. */
    healths: new Map<number, WebhookHealth & { readonly noticed: number }>(),
    deliveries: new Map<number, StoredDelivery>(),
    /** By organization, in the order of their positions. */
    events: new Map<number, StoredEvent[]>(),
    auditEntries: new Map<number, NewAuditEntry & Pick<AuditEntry, 'id'>>(),
    /** By organization, in the order of adding. */
    apiCalls: new Map<number, readonly ApiCall[]>(),
    /** By member. */
    calendarFeeds: new Map<string, CalendarFeed & { readonly hash: string }>(),
    /** By organization, operation and key. */
    idempotentCalls: new Map<string, StoredCall>(),
    /** The seats of erased people in meetings that have ended, by meeting. */
    erasedSeats: new Map<number, number>(),
    lastId: 1_000_000,
  };
}

export function nextId(state: State): number {
  state.lastId += 1;
  return state.lastId;
}

export function membershipOf(
  state: State,
  member: { readonly organizationId: number; readonly userId: number | null | undefined },
): StoredMembership | undefined {
  return membershipIn(state, member.organizationId, ({ userId }) => userId === member.userId);
}

/** The membership of the organization that is the one. */
export function membershipIn(
  state: State,
  organizationId: number,
  is: (membership: StoredMembership) => boolean,
): StoredMembership | undefined {
  return state.memberships.find((stored) => stored.organizationId === organizationId && is(stored));
}

export function deleteWhere<Key, Row>(rows: Map<Key, Row>, is: (row: Row) => boolean): void {
  for (const [key, row] of rows) if (is(row)) rows.delete(key);
}

export function existing<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('There is no such record');
  return value;
}
