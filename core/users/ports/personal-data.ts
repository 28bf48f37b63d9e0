import type { NewAuditEntry } from '../../access/ports/audit-trail.js';
import type { Journal } from '../../access/ports/journal.js';
import type { Organization } from '../../access/ports/organizations.js';
import type { MeetingDetails, WaitingStatus } from '../../meetings/ports/meetings.js';
import type { NewEvent } from '../../webhooks/events.js';
import type { RecordedDelivery } from '../../webhooks/ports/deliveries.js';
import type { User } from '../user.js';
import type { DirectoryEntry, DirectoryKey } from './directory.js';
import type { Identity } from './identities.js';
import type { Invitation } from './invitations.js';
import type { LoginLink } from './login-links.js';
import type { NewMail } from './mails.js';
import type { Member, MembershipFacts } from './members.js';
import type { Passkey } from './second-factors.js';
import type { Session } from './sessions.js';

/**
 * Names a person: by the current address of the account or of an invitation, or by a UUID, the user's own or one that an
 * organization knows. People who were only invited have no account.
 */
export type PersonKey = { readonly email: string } | { readonly uuid: string };

/** Everything that is stored about a person, without hashes of secrets. Lists of rows are oldest first. */
export interface PersonalRecord {
  /** Null: the person has no account. */
  readonly account: PersonalAccount | null;
  /** Each address that the person has or had, the current one first. */
  readonly emails: readonly string[];
  /** Every organization that has something about the person, by id. */
  readonly organizations: readonly Pick<Organization, 'id' | 'name'>[];
  /** By organization id. */
  readonly memberships: readonly PersonalMembership[];
  /** In every state. The person was invited with them. */
  readonly invitations: readonly Invitation[];
  /** The number of invitations that the person has sent to others. */
  readonly sentInvitations: number;
  /** The sessions that are stored, also those that have expired. */
  readonly sessions: readonly Omit<Session, 'user'>[];
  /** Who the person is at identity providers, by organization id. */
  readonly identities: readonly Omit<Identity, 'userId'>[];
  /** What the person signs in with beside the password, without keys and codes. */
  readonly secondFactor: {
    readonly passkeys: readonly Pick<Passkey, 'name' | 'isBackedUp' | 'createdAt' | 'usedAt'>[];
    /** When the app that makes codes was confirmed; null: there is none. */
    readonly codesSince: Date | null;
    readonly recoveryCodes: number;
  };
  /** What the directories of organizations say about the person, by organization id. */
  readonly directoryEntries: readonly PersonalDirectoryEntry[];
  /** The login links that are stored, in any state. */
  readonly loginLinks: readonly Omit<LoginLink, 'userId'>[];
  /** The mails to any of the addresses that wait to be sent. */
  readonly mails: readonly Pick<NewMail, 'kind' | 'email' | 'createdAt'>[];
  /** The calendar feeds of the memberships. */
  readonly calendarFeeds: readonly { readonly organizationId: number; readonly createdAt: Date }[];
  /** Seats in meetings, in the past too. */
  readonly registrations: readonly { readonly meeting: PersonalMeeting; readonly registeredAt: Date }[];
  /** Places on waitlists, in the past too. */
  readonly waitingPlaces: readonly {
    readonly meeting: PersonalMeeting;
    readonly status: WaitingStatus;
    readonly createdAt: Date;
    /** When the offer of a seat ends; null: not known. */
    readonly offeredUntil: Date | null;
  }[];
  /** The meetings whose group leader the person is. */
  readonly ledMeetings: readonly PersonalMeeting[];
  /** What the person did, and what was done to the person. */
  readonly auditEntries: readonly PersonalAuditEntry[];
  /** The events about the person that are in the feeds. */
  readonly events: readonly Omit<NewEvent, 'about'>[];
  /** The deliveries of these events. */
  readonly deliveries: readonly RecordedDelivery[];
}

/** What a directory says about a person in a `PersonalRecord`. */
export type PersonalDirectoryEntry = DirectoryEntry & DirectoryKey;

/** The account of a person, without the hash of the password. */
export interface PersonalAccount extends User {
  /** Whether the user has a password to sign in with. */
  readonly hasPassword: boolean;
  /** As `Sessions.lastSignIn`. */
  readonly signedInAt: Date | null;
}

/** A membership in a `PersonalRecord`. */
export interface PersonalMembership extends Omit<Member, 'user'> {
  /** Whether the organization would be left without an owner. */
  readonly isOnlyOwner: boolean;
}

/** A meeting in a `PersonalRecord`. */
export interface PersonalMeeting extends Pick<MeetingDetails, 'id' | 'name' | 'startTime'> {
  /** Null: a meeting of the service itself. */
  readonly organizationId: number | null;
}

/** An entry of an audit trail in a `PersonalRecord`. */
export interface PersonalAuditEntry extends Pick<NewAuditEntry, 'organizationId' | 'at' | 'action'> {
  /** To what it was done, as it is stored. It can name other people. */
  readonly subject: string | null;
  /** Whether the person did it. */
  readonly isActor: boolean;
  /** Where the person did it from; null: not known, or someone else did it. */
  readonly from: string | null;
}

/** What `PersonalData.erase` is asked to do. */
export interface ErasePerson {
  /** The person to erase. */
  readonly person: PersonKey;
  /** When the person is erased, by the core's clock. */
  readonly at: Date;
  /** Whether an organization may be left without an owner. */
  readonly mayLeaveNoOwner: boolean;
  /** Erase only if the person is a member of this organization and no owner, and no other organization has them. */
  readonly onlyOf?: number | undefined;
}

/** What `PersonalData.erase` did. */
export interface ErasedPerson {
  /** The organizations that had something about the person, by id. */
  readonly organizationIds: readonly number[];
  /** Those of them that have no owner any more, by id. */
  readonly withoutOwner: readonly number[];
}

/** Why nobody was erased. Nothing was changed. */
export type NotErased =
  /** Nothing is stored about such a person, or they are not a member of `onlyOf`. */
  | 'unknown'
  /** The person is an owner of `onlyOf`. */
  | 'is-owner'
  /** `onlyOf` is not the only organization that has the person. */
  | 'in-other-organization'
  /** Organizations that would be left without an owner, by id. */
  | { readonly lastOwnerOf: readonly number[] };

/** Everything that is stored about a person, to hand out and to remove. The rules are in `personal-data.ts`. */
export interface PersonalData {
  /** Null: nothing is stored about such a person. Can take long, because it searches all events and audit trails. */
  read(person: PersonKey): Promise<PersonalRecord | null>;
  /**
   * Removes the person in one transaction. Afterwards, no stored text contains an address, a name, a UUID or an `idpId`
   * of the person, and their address can be invited again.
   *
   * The account, memberships, identities, invitations of the person, second factors, sessions, login links, calendar feeds, seats and waiting places
   * are removed. Seats in meetings that have ended still count in `Meetings.summarize`. Meetings that the person leads
   * stay without a leader and count as changed; a `host` that is the name of the leader becomes empty. Answers of
   * repeatable calls are removed in every organization that had something about the person.
   *
   * Events and deliveries stay, with `erasedBody` as their body and without the requests and responses of their
   * attempts. Positions, states and times stay. A delivery that is pending or held is skipped and dropped. One that is
   * under way is finished; its request and response are not stored, and if it is cut off, it is dropped. A delivery about
   * an erased person is never sent again: `redeliver` changes nothing and returns 'erased', and no selection of
   * deliveries matches it. Responses of other deliveries that name an address of the person are removed.
   *
   * Audit entries stay: `erasedSubject` replaces what names the person, and entries by the person get the user id 0 and
   * no address. Invitations that the person sent stay, by the user id 0.
   *
   * `journal` gets the memberships that end, by organization id. What it returns is stored as it is: it must not name the
   * person.
   *
   * 'in-other-organization': another organization has the person as a member or pending invitation or in a meeting, or
   * the person leads a meeting of the service.
   */
  erase(
    request: ErasePerson,
    journal?: Journal<ErasedPerson & { readonly ended: readonly MembershipFacts[] }>,
  ): Promise<ErasedPerson | NotErased>;
}
