/**
 * What the core asks of the deps. Each method states a promise; `@rollcall/core/testing` has a suite with
 * a test per promise, and whoever writes an adapter runs it. A method that decides is atomic: of two callers
 * at once, one wins and the other is told. All moments come from `Clock`, never from a database.
 * Strings are well-formed and hold no NUL; ids are whole numbers from 1 to 2^53 - 1: the core checks both
 * before it asks.
 */
import type { ExportColumn, ExportForm } from './meetings/export-columns.js';
import type { MeetingSelection } from './meetings/meeting.js';
import type { Secret } from './values/secret.js';

// ── Organizations and their access ─────────────────────────────────────────────────────────────────────────

export interface Organization {
  readonly id: number;
  readonly name: string;
  /** Whether it runs an Employee Assistance Program, and so sees the service meetings tied to it. */
  readonly eap: boolean;
  /** IANA name, or null where the owner has set none. */
  readonly timeZone: string | null;
  /**
   * Goes up with each new access key; a token made under another generation is dead. 0: no key yet. Also an
   * organization that comes in the place of a removed one never gets a generation that the former one had.
   */
  readonly accessKeyGeneration: number;
}

/** What is known of an access key; the key itself is nowhere. */
export interface AccessKey {
  readonly createdAt: Date;
  /** When a token was last made with it, to a minute; null: never yet. */
  readonly usedAt: Date | null;
}

export interface AccessKeyHolder extends Organization {
  readonly accessKeyUsedAt: AccessKey['usedAt'];
  /** The one of the hashes that is stored. */
  readonly accessKeyHash: string;
}

export interface Organizations {
  byId(organizationId: number): Promise<Organization | null>;
  /** The organization whose current access key has one of these hashes, with the key's last use. */
  byAccessKeyHash(hashes: readonly string[]): Promise<AccessKeyHolder | null>;
  /**
   * Puts the hash in the place of any older one and raises the generation, to the seconds since 1970 at least,
   * at once for everybody; null: no such organization, or its generation is not `replaces` any more. Of several
   * callers at once one at most is told that there was no key before, and one at most replaces the same generation.
   */
  replaceAccessKey(
    change: {
      readonly organizationId: number;
      readonly hash: string;
      readonly at: Date;
      /** A generation; left out: whichever there is. */
      readonly replaces?: number | undefined;
    },
    buildEntries?: BuildAuditEntries<{ readonly organization: Organization; readonly isFirst: boolean }>,
  ): Promise<Organization | null>;
  /**
   * Puts another hash of the same access key in the place of this one; the key, its generation and its moments stay.
   * False, with nothing changed: the stored hash is another one by now.
   */
  moveAccessKeyHash(change: {
    readonly organizationId: number;
    readonly from: string;
    readonly to: string;
  }): Promise<boolean>;
  /** The current access key; null: there is none. */
  accessKey(organizationId: number): Promise<AccessKey | null>;
  /** Moves the last use of the key forward, if it is still the one of this generation; never back. */
  touchAccessKey(use: {
    readonly organizationId: number;
    readonly generation: number;
    readonly at: Date;
  }): Promise<void>;
  /** Null: no such organization. */
  setTimeZone(
    change: { readonly organizationId: number; readonly timeZone: string | null },
    buildEntries?: BuildAuditEntries<Organization>,
  ): Promise<Organization | null>;
  create(organization: { readonly name: string; readonly eap: boolean }): Promise<Organization>;
  /** All, by id. */
  list(): Promise<readonly Organization[]>;
}

export interface TokenClaims {
  readonly organizationId: number;
  readonly generation: number;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

export interface Tokens {
  issue(claims: TokenClaims): Promise<Secret>;
  /** The claims of a token that `issue` made, under this or a previous key; null for everything else. Looks at no clock. */
  read(token: string): Promise<TokenClaims | null>;
}

// ── Users and members ──────────────────────────────────────────────────────────────────────────────────────

export interface User {
  readonly id: number;
  readonly uuid: string;
  /** Trimmed and in lower case. */
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  /** URL of a picture, or null. */
  readonly avatar: string | null;
  readonly createdAt: Date;
}

export interface NewUser {
  readonly uuid: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly passwordHash: string | null;
  readonly createdAt: Date;
}

export interface Users {
  byEmail(email: string): Promise<User | null>;
  /** The stored hash, or null where the user has no password. */
  passwordHash(userId: number): Promise<string | null>;
  /** Changes the hash and ends every session of the user, together; false: no such user. */
  setPasswordHash(change: { readonly userId: number; readonly hash: string }): Promise<boolean>;
  /**
   * If the hash is still `from`: changes it to `to`, ends every session of the user and opens this one in their
   * place, together. False: it is another one, and nothing has changed.
   */
  replacePasswordHash(change: {
    readonly from: string;
    readonly to: string;
    readonly session: NewSession;
  }): Promise<boolean>;
  /**
   * Changes the address of whoever has `from` and ends every session of that user, together. Of several callers
   * with one address one gets it.
   */
  setEmail(
    change: { readonly from: string; readonly to: string },
    buildEntries?: BuildAuditEntries<{ readonly user: User; readonly organizationIds: readonly number[] }>,
  ): Promise<User | 'not-a-user' | 'email-taken'>;
  /** Null when the address belongs to somebody already. */
  create(user: NewUser): Promise<User | null>;
}

export type Role = 'owner' | 'admin' | 'member';

/** A user seen from one organization. */
export interface Member {
  readonly organizationId: number;
  readonly user: User;
  /** The user's UUID as this organization knows it: the user's own, or the one it was told when it invited them. */
  readonly uuid: string;
  readonly role: Role;
  /** The id under which the organization's identity provider knows the member. */
  readonly idpId: string | null;
}

export interface NewMember {
  readonly organizationId: number;
  readonly user: NewUser | { readonly id: number };
  /** Null: the user's own UUID. */
  readonly uuid: string | null;
  readonly role: Role;
  readonly idpId: string | null;
  /** The invitation that is accepted by this, if it comes by one. */
  readonly invitationId: string | null;
  readonly at: Date;
}

/** What `register` hands to the core inside its transaction, to learn which event to write. */
export interface Registered {
  readonly organization: Organization;
  readonly member: Member;
  readonly webhook: Webhook | null;
}

export type NotRegistered =
  | 'already-member'
  /** The address of a new user belongs to somebody already. */
  | 'account-exists'
  /** The invitation is not pending any more. */
  | 'invitation-closed'
  /** Another member of the organization has this `idpId`. */
  | 'idp-id-taken';

export interface ListedMember extends Member {
  /** Whether there is a password to sign in with. */
  readonly canSignIn: boolean;
}

export type NotChanged =
  | 'not-a-member'
  /** The organization would be left without an owner. */
  | 'last-owner';

export interface Members {
  byIdpId(key: { readonly organizationId: number; readonly idpId: string }): Promise<Member | null>;
  byUuid(key: { readonly organizationId: number; readonly uuid: string }): Promise<Member | null>;
  byUserId(key: { readonly organizationId: number; readonly userId: number }): Promise<Member | null>;
  /** Every organization of the user with the role there, by organization id. */
  ofUser(userId: number): Promise<readonly { readonly organization: Organization; readonly role: Role }[]>;
  /**
   * All or nothing, in one transaction: creates the user where new, adds the member, closes the invitation as
   * accepted, asks `buildEvent` for the event and writes it to the outbox. Of several callers with the same
   * invitation, address or membership one succeeds. Nothing is kept when `buildEvent` throws.
   */
  register(
    member: NewMember,
    buildEvent: (registered: Registered) => NewEvent | null,
    buildEntries?: BuildAuditEntries<Member>,
  ): Promise<Member | NotRegistered>;
  /**
   * The owners first, then the admins, each by e-mail address in the order of its characters' numbers; `total`: of
   * all. With `words` those alone of whom each word is part of the first name, the last name or the address,
   * whatever its case (see `anyCasePattern`); no character has a further meaning, and no word holds white space.
   */
  list(
    query: OrganizationRows & { readonly words?: readonly string[] | undefined },
  ): Promise<{ readonly total: number; readonly members: readonly ListedMember[] }>;
  /** However many ask at once, an owner is left. A role that the member has already is no change, and not noted. */
  changeRole(
    change: { readonly organizationId: number; readonly userId: number; readonly role: Role },
    buildEntries?: BuildAuditEntries<Member>,
  ): Promise<Member | NotChanged>;
  /**
   * Ends the membership, and with it the sessions that are bound to the organization, its login links for the
   * user, and its pending invitation of their address. However many ask at once, an owner is left. Answers with
   * the member as they were.
   */
  remove(
    change: { readonly organizationId: number; readonly userId: number; readonly at: Date },
    buildEntries?: BuildAuditEntries<Member>,
  ): Promise<Member | NotChanged>;
}

/** A part of what an organization has. */
export interface OrganizationRows {
  readonly organizationId: number;
  readonly offset: number;
  readonly limit: number;
}

export interface Passwords {
  hash(password: Secret): Promise<string>;
  /**
   * `hash` is asked for once, when only the check itself is left to do: an attempt that is turned away with
   * `Unavailable` has cost nothing. What `hash` throws comes through, and nothing is checked. Where it gives null:
   * false, after the same time.
   */
  verify(attempt: {
    readonly password: Secret;
    readonly hash: () => Promise<string | null>;
  }): Promise<boolean>;
}

// ── Invitations, login links, sessions ─────────────────────────────────────────────────────────────────────

export interface NewInvitation {
  /** UUID. */
  readonly id: string;
  /** Which key the token of its URL is derived with, so that the URL stays the same when a new key comes. */
  readonly keyId: string;
  readonly organizationId: number;
  /** The UUID under which the organization will know the user. */
  readonly userUuid: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly createdAt: Date;
  /** Null: it was not noted. */
  readonly invitedBy: Who | null;
}

export interface Invitation extends NewInvitation {
  readonly acceptedAt: Date | null;
  readonly revokedAt: Date | null;
}

/** An invitation has no lifetime: it is pending until it is accepted or revoked (decision 18). */
export type InvitationState = 'pending' | 'accepted' | 'revoked';

/**
 * How a list tells them apart: `replaced` is one that was revoked and in whose place another stands now (see
 * `Invitations.standing`), `revoked` one in whose place none does.
 */
export type ListedState = InvitationState | 'replaced';

export interface ListedInvitation extends Invitation {
  /** The user who invited; null: nobody of ours, or somebody who is gone. */
  readonly inviter: NamedUser | null;
}

/** Why an invitation can't be closed: there is none with this id in the organization, or it is closed already. */
export type NotPending = 'unknown' | Exclude<InvitationState, 'pending'>;

export interface Invitations {
  /**
   * The pending invitation of this address to this organization if there is one, else the fresh one, now
   * stored; 'already-member' when the address belongs to a member. Of 50 callers at once all get the same.
   */
  findOrCreatePending(
    fresh: NewInvitation,
    buildEntries?: BuildAuditEntries<Invitation>,
  ): Promise<Invitation | 'already-member'>;
  byId(invitationId: string): Promise<Invitation | null>;
  /** The invitation in which the organization was told this UUID, whatever became of it. */
  byUserUuid(key: { readonly organizationId: number; readonly uuid: string }): Promise<Invitation | null>;
  /**
   * Of each of these addresses the organization's invitation that stands: the pending one, or that by which its
   * user became a member. In any order; an address that has none is left out.
   */
  standing(key: {
    readonly organizationId: number;
    readonly emails: readonly string[];
  }): Promise<readonly Invitation[]>;
  /** The newest first, and by id where two are of one moment: in that state, or in any; `total`: of all such. */
  list(
    query: OrganizationRows & { readonly state?: ListedState | undefined },
  ): Promise<{ readonly total: number; readonly invitations: readonly ListedInvitation[] }>;
  /** From then on nobody can accept it. Of several callers at once one succeeds. */
  revoke(
    change: { readonly organizationId: number; readonly invitationId: string; readonly at: Date },
    buildEntries?: BuildAuditEntries<Invitation>,
  ): Promise<Invitation | NotPending>;
  /**
   * Revokes the invitation and stores a pending one for the same person under the same UUID, together; the
   * revoked one gets `retiredUuid` for its own, as an organization tells a UUID once. 'already-member', with
   * nothing changed: the address belongs to a member. Of several callers at once one succeeds.
   */
  renew(
    change: {
      readonly organizationId: number;
      readonly invitationId: string;
      readonly retiredUuid: string;
      readonly fresh: Pick<NewInvitation, 'id' | 'keyId' | 'createdAt' | 'invitedBy'>;
    },
    buildEntries?: BuildAuditEntries<Invitation>,
  ): Promise<Invitation | NotPending | 'already-member'>;
}

export interface LoginLink {
  readonly organizationId: number;
  readonly userId: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly redeemedAt: Date | null;
}

export interface LoginLinks {
  store(
    link: {
      readonly hash: string;
      readonly organizationId: number;
      readonly userId: number;
      readonly createdAt: Date;
      readonly expiresAt: Date;
    },
    buildEntries?: BuildAuditEntries<LoginLink>,
  ): Promise<void>;
  /** Changes nothing. */
  find(hash: string): Promise<LoginLink | null>;
  /** Marks the link as redeemed if nobody has yet and it expires after `at`; true for one caller only. */
  redeem(
    use: { readonly hash: string; readonly at: Date },
    buildEntries?: BuildAuditEntries<LoginLink>,
  ): Promise<boolean>;
}

export interface Session {
  readonly user: User;
  /** The organization in whose member page the session stays, as a login link opened it. */
  readonly boundTo: number | null;
  readonly openedAt: Date;
  readonly seenAt: Date;
}

export interface NewSession {
  readonly hash: string;
  readonly userId: number;
  readonly boundTo: number | null;
  readonly openedAt: Date;
}

export interface OpeningSession extends NewSession {
  /** The hash of the password that was verified for it; null: something else than a password opens it. */
  readonly passwordHash: string | null;
}

export interface Sessions {
  /**
   * False, with nothing stored: the user's password is another one by now. Whichever of several callers is first:
   * no session that the old password opened is left when `setPasswordHash` or `replacePasswordHash` has answered.
   */
  open(session: OpeningSession): Promise<boolean>;
  find(hash: string): Promise<Session | null>;
  /** Moves `seenAt` forward; never brings a closed session back. */
  touch(use: { readonly hash: string; readonly at: Date }): Promise<void>;
  /** From then on `find` answers null, on every instance. */
  close(hash: string): Promise<void>;
}

/** The private address under which a member's calendar program reads their meetings. */
export interface CalendarFeed {
  readonly organizationId: number;
  readonly userId: number;
  readonly createdAt: Date;
}

/** A member has one at most. It ends with the membership, and does not come back with a new one. */
export interface CalendarFeeds {
  /** Takes the place of an older one of the member, which is dead from then on; false: there is no such member. */
  open(feed: CalendarFeed & { readonly hash: string }): Promise<boolean>;
  find(hash: string): Promise<CalendarFeed | null>;
  of(member: { readonly organizationId: number; readonly userId: number }): Promise<CalendarFeed | null>;
  /** From then on `find` answers null, on every instance; false: there was none. */
  revoke(member: { readonly organizationId: number; readonly userId: number }): Promise<boolean>;
}

// ── Meetings ───────────────────────────────────────────────────────────────────────────────────────────────

/** A member's seat in a meeting, read for the merge. */
export interface RegisteredPlace {
  readonly meetingId: number;
  readonly startTime: Date;
  readonly registeredAt: Date;
}

export type WaitingStatus = 'waiting' | 'accepted' | 'rejected' | 'offered' | 'expired';

/** A member's place in the queue of a meeting whose waitlist is switched on, read for the merge. */
export interface WaitingPlace {
  readonly meetingId: number;
  readonly startTime: Date;
  readonly status: WaitingStatus;
}

export interface Places {
  readonly registered: readonly RegisteredPlace[];
  readonly waiting: readonly WaitingPlace[];
}

export interface PlacesWithDetails extends Places {
  readonly details: readonly MeetingDetails[];
}

export interface MeetingDetails {
  readonly id: number;
  readonly name: string;
  readonly startTime: Date;
  readonly endTime: Date;
  readonly topic: string;
  readonly description: string | null;
  readonly location: string;
  readonly maxAttendees: number;
  /** The group leader is not counted. */
  readonly registeredAttendees: number;
  readonly groupLeader: Pick<User, 'id' | 'firstName' | 'lastName' | 'avatar'> | null;
}

export interface MemberAt {
  readonly organizationId: number;
  readonly userId: number;
  readonly now: Date;
}

/** Of the organization's meetings and the service's own (no organization), never of another organization's. */
export interface Meetings {
  /**
   * The upcoming meetings in which the user has a seat, and those whose waitlist is on and in whose queue the user
   * is, each in any order, of one moment.
   */
  places(member: MemberAt): Promise<Places>;
  /**
   * What `places` gives, of the member with this `idpId`, and the details of those of these meetings that are on
   * the page when each stands there once, by start time and then id; the details are in any order, and all is of
   * one moment. Null: there is no such member.
   */
  placesOf(member: {
    readonly organizationId: number;
    readonly idpId: string;
    readonly now: Date;
    readonly page: { readonly offset: number; readonly limit: number };
  }): Promise<PlacesWithDetails | null>;
  /**
   * The meetings that end after the moment and are not cancelled, completed ones as well, in which the user has
   * a seat, in any order.
   */
  seatsSince(member: {
    readonly organizationId: number;
    readonly userId: number;
    readonly endsAfter: Date;
  }): Promise<readonly RegisteredPlace[]>;
  /** The details of these meetings, in any order; one that is gone or another organization's is left out. */
  details(meetings: {
    readonly organizationId: number;
    readonly ids: readonly number[];
  }): Promise<readonly MeetingDetails[]>;
  /**
   * The selected meetings by start time and id, encoded as `form` says, from one snapshot: what is written
   * while the chunks are read does not show. With `json` the chunks together are the rows as UTF-8 JSON
   * objects with commas between, each with the columns' wire keys in the order asked for; with `ndjson` the
   * same objects with a line feed after each. With `csv` each row is a record of RFC 4180 with CRLF after it,
   * and no header: texts in quotes, behind an apostrophe where they begin as a formula does, null as nothing,
   * and numbers, booleans and moments as in JSON without quotes. Memory does not grow with the rows. The snapshot is given up when the last chunk was read, the reader returns or throws.
   * With a page, `total` counts the whole selection in the same snapshot; without, it is null. Where all exports
   * share few places, the first chunk may be refused with `too-many-requests` while the organization has several
   * exports under way.
   */
  export(request: {
    readonly selection: MeetingSelection;
    readonly columns: readonly ExportColumn[];
    readonly form: ExportForm;
    readonly page: { readonly offset: number; readonly limit: number } | null;
  }): Promise<ExportedRows>;
  /**
   * One summary a range, in their order, of the meetings that start in it: the organization's own and, where
   * asked for, the service meetings tied to it.
   */
  summarize(request: {
    readonly organizationId: number;
    readonly withServiceMeetings: boolean;
    /** Two bounds each. */
    readonly ranges: readonly { readonly from: Date; readonly before: Date }[];
  }): Promise<readonly MeetingSummary[]>;
}

export interface MeetingSummary {
  /** Cancelled ones are not counted. */
  readonly meetings: number;
  readonly seatsOffered: number;
  /** The group leaders are not counted. */
  readonly seatsTaken: number;
}

export interface ExportedRows {
  readonly total: number | null;
  readonly chunks: AsyncIterable<Uint8Array>;
}

// ── Webhooks ───────────────────────────────────────────────────────────────────────────────────────────────

export type EventName = 'user.registered';

/** The one configuration of an organization. */
export interface Webhook {
  readonly id: number;
  readonly organizationId: number;
  readonly url: string | null;
  readonly enabled: boolean;
  readonly events: readonly EventName[];
  /** The signing secret as `Secrets.seal` closed it for this organization. */
  readonly sealedSecret: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export type WebhookSettings = Omit<Webhook, 'id' | 'organizationId'>;

export interface Webhooks {
  of(organizationId: number): Promise<Webhook | null>;
  /**
   * Stores what `decide` makes of the current configuration (null: none yet), with nobody changing it in
   * between. Nothing is kept when `decide` throws, and what it threw comes through.
   */
  configure(
    organizationId: number,
    decide: (current: Webhook | null) => WebhookSettings,
    buildEntries?: BuildAuditEntries<Webhook>,
  ): Promise<Webhook>;
  /** How its deliveries have ended, by what `Outbox.finish` wrote; tests, skipped and cut-off ones do not count. */
  health(organizationId: number): Promise<WebhookHealth>;
  /**
   * Gives the health to one caller for the largest of `steps` that the failures in a row have reached, unless it
   * or a larger one was given already since the last success; null to everybody else.
   */
  takeFailureNotice(request: {
    readonly organizationId: number;
    readonly steps: readonly number[];
  }): Promise<WebhookHealth | null>;
}

export interface WebhookHealth {
  /** 0 after a success, and where nothing has been delivered yet. */
  readonly failuresInRow: number;
  /** When the first of these failures ended; null where there is none. */
  readonly failingSince: Date | null;
  /** Of several successes within ten seconds it may be the first. */
  readonly lastDeliveredAt: Date | null;
}

/** What happened, with the exact text that is signed and sent. */
export interface NewEvent {
  /** UUID. */
  readonly id: string;
  readonly name: EventName;
  readonly organizationId: number;
  readonly body: string;
  readonly createdAt: Date;
}

export type AttemptOutcome = 'delivered' | 'failed' | 'interrupted';

/** How far an attempt came. */
export type AttemptPhase = 'address' | 'lookup' | 'connect' | 'tls' | 'request' | 'answer';

/** One sending of an event. */
export interface Attempt {
  readonly startedAt: Date;
  /** Milliseconds; null when it was interrupted. */
  readonly duration: number | null;
  readonly outcome: AttemptOutcome;
  /** Where it ended; null when it was interrupted. */
  readonly phase: AttemptPhase | null;
  /** The receiver's status, where there was an answer. */
  readonly status: number | null;
  /** What happened, in words for people; never an inner address. */
  readonly reason: string;
}

/** A state in which a delivery stays until somebody asks for it. `held`: it may have been sent from another copy. */
export type RestingState = 'delivered' | 'failed' | 'skipped' | 'held';

export type DeliveryState = 'pending' | 'sending' | RestingState;

/** One event on its way to the webhook. */
export interface Delivery {
  readonly id: number;
  readonly organizationId: number;
  readonly eventId: string;
  readonly eventName: EventName;
  readonly body: string;
  /** Of an invented user, sent because somebody asked for a test. */
  readonly isTest: boolean;
  readonly state: DeliveryState;
  readonly createdAt: Date;
  /** When it came to its latest final state, or null while it has none, as when it is held. */
  readonly finishedAt: Date | null;
  /** Skipped because somebody dropped it while it was held; false: because the webhook was off. */
  readonly isDropped: boolean;
  /** The oldest first. */
  readonly attempts: readonly Attempt[];
}

/** The deliveries for which all of this is true, tests excepted; what is left out is no condition. */
export interface DeliverySelection {
  /** Null: of every organization. */
  readonly organizationId: number | null;
  readonly states: readonly RestingState[];
  /** Made at that moment or later. */
  readonly since?: Date | undefined;
  /** Made before that moment. */
  readonly until?: Date | undefined;
  /** Where the last attempt ended. */
  readonly phase?: AttemptPhase | undefined;
  /** What the receiver answered to the last attempt. */
  readonly status?: number | undefined;
  /** Part of the last attempt's outcome or of its reason, ASCII letters in any case. */
  readonly reason?: string | undefined;
}

/** A delivery that one caller of `claim` holds until it is finished or swept. */
export interface ClaimedDelivery {
  readonly deliveryId: number;
  /** Which claim this is; `finish` needs it. */
  readonly claim: string;
  readonly organizationId: number;
  readonly eventId: string;
  readonly eventName: EventName;
  readonly body: string;
  readonly isTest: boolean;
}

export interface Outbox {
  /**
   * Takes pending deliveries, of each organization the oldest first, committed before it answers: at most `limit`,
   * and of one organization no more than leave it `perOrganization` under way, for all callers together. No delivery
   * is taken by two callers. Organizations take turns: however many wait, and however long their queues are, each
   * comes to its turn, and a claim takes no longer. What this storage was told of can be claimed when it has been
   * told; what another process stored, some seconds later. `claim` names this claim; `at` is when it is made,
   * unless several processes share the storage: then it is the time of the storage's own clock.
   */
  claim(request: {
    readonly limit: number;
    readonly perOrganization: number;
    readonly claim: string;
    readonly at: Date;
  }): Promise<readonly ClaimedDelivery[]>;
  /**
   * Writes the event as a test that `claim` holds from the beginning, so that nobody else takes it; null, and
   * nothing is written, while another test of the organization is under way.
   */
  startTest(
    test: {
      readonly event: NewEvent;
      readonly claim: string;
      readonly at: Date;
    },
    buildEntries?: BuildAuditEntries<ClaimedDelivery>,
  ): Promise<ClaimedDelivery | null>;
  /**
   * Writes the final state and the attempt (null: skipped, nothing was sent), if the claim still holds;
   * false when it does not.
   */
  finish(result: {
    readonly deliveryId: number;
    readonly claim: string;
    readonly state: 'delivered' | 'failed' | 'skipped';
    readonly attempt: Attempt | null;
    readonly at: Date;
  }): Promise<boolean>;
  /**
   * Gives up every claim older than so many milliseconds (null: every claim there is), by the clock that claims were
   * written by, so that callers with other clocks agree: records an interrupted attempt and makes the delivery
   * pending again, or failed when it has been claimed `maxClaims` times since it was last asked for.
   */
  sweep(request: {
    readonly olderThanMs: number | null;
    readonly maxClaims: number;
    readonly at: Date;
  }): Promise<{ readonly again: number; readonly failed: number }>;
  /**
   * Holds everything that is pending or under way, for when nobody knows what was sent; says how much. No attempt is
   * recorded, and nobody claims it until it is asked for.
   */
  hold(): Promise<number>;
}

export interface Deliveries {
  find(key: { readonly organizationId: number; readonly deliveryId: number }): Promise<Delivery | null>;
  /**
   * The newest first, by the moment of the event and then the id: of one organization or of all (null), and what
   * else is given.
   */
  list(query: {
    readonly organizationId: number | null;
    readonly state?: DeliveryState | undefined;
    /** Made at that moment or later. */
    readonly since?: Date | undefined;
    /** Made before that moment. */
    readonly until?: Date | undefined;
    /** A UUID. */
    readonly eventId?: string | undefined;
    readonly isTest?: boolean | undefined;
    /** Only those that come after this one in the order. */
    readonly olderThan?: Pick<Delivery, 'id' | 'createdAt'> | undefined;
    readonly limit: number;
  }): Promise<readonly Delivery[]>;
  /**
   * Makes a delivery that is final pending once more; one that is under way stays so. False: there is none, or
   * it is another organization's (null: whosever it is). Noted only where it was made pending.
   */
  redeliver(
    key: { readonly organizationId: number | null; readonly deliveryId: number },
    buildEntries?: BuildAuditEntries<{ readonly organizationId: number; readonly eventId: string }>,
  ): Promise<boolean>;
  /** How many there are. */
  count(selection: DeliverySelection): Promise<number>;
  /**
   * Makes all of them pending once more; says how many. In one transaction or in several, each noted together with what
   * it does: in the end there is what `buildEntries` gave of each organization last, with how many of its own. What is cut off
   * has changed some of them, and is noted with their number.
   */
  redeliverMatching(
    selection: DeliverySelection,
    buildEntries?: BuildAuditEntries<{ readonly organizationId: number; readonly count: number }>,
  ): Promise<number>;
  /** Ends those that are held as skipped, and says of each that it was dropped; noted as `redeliverMatching` is. */
  dropHeld(
    request: Pick<DeliverySelection, 'organizationId' | 'since' | 'until'> & { readonly at: Date },
    buildEntries?: BuildAuditEntries<{ readonly organizationId: number; readonly count: number }>,
  ): Promise<number>;
}

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as these UTF-8 bytes exactly. */
  readonly body: string;
}

export interface WebhookSender {
  /**
   * One POST, never more; never throws, and has ended after 16 s at the latest. Delivered is a 2xx answer
   * only. Connects to public addresses only, or to networks that the operator has allowed.
   */
  send(request: WebhookRequest): Promise<Omit<Attempt, 'startedAt'>>;
}

export interface Dispatcher {
  /** Asks that the outbox be looked at soon. Losing a call costs a delay, never an event. */
  wake(): void;
}

// ── The audit trail ────────────────────────────────────────────────────────────────────────────────────────

/** Who does something. `program`: code that embeds the core and has not said for whom it acts. */
export type Who =
  | { readonly kind: 'user'; readonly userId: number }
  | { readonly kind: 'access-key' }
  | { readonly kind: 'command-line' }
  | { readonly kind: 'program' };

/** Who does something, and from where. */
export interface Actor {
  readonly who: Who;
  /** The address that the request came from; null where there is none. */
  readonly from: string | null;
}

export type AuditAction =
  | 'access-key-generated'
  | 'access-key-replaced'
  | 'webhook-configured'
  | 'signing-secret-rotated'
  | 'webhook-tested'
  | 'delivery-redelivered'
  | 'deliveries-redelivered'
  | 'deliveries-dropped'
  | 'user-invited'
  | 'invitation-revoked'
  | 'invitation-renewed'
  | 'member-added'
  | 'role-changed'
  | 'member-removed'
  | 'email-changed'
  | 'login-link-issued'
  | 'login-link-redeemed'
  | 'time-zone-set';

/** What somebody did. */
export interface NewAuditEntry {
  readonly organizationId: number;
  readonly at: Date;
  readonly actor: Actor;
  readonly action: AuditAction;
  /** What it was done to, in a few words that hold no secret, such as an address; null: the organization itself. */
  readonly subject: string | null;
}

export interface AuditEntry extends NewAuditEntry {
  readonly id: number;
  /** The user who did it; null: none of ours, or somebody who is gone. */
  readonly user: NamedUser | null;
}

/** As much of a user as others need to know whom they see. */
export type NamedUser = Pick<User, 'id' | 'email' | 'firstName' | 'lastName'>;

/**
 * Makes the entries that tell of an action, once it is done. They are written in the transaction of what they
 * tell: nothing of either is kept when one can't be written. Not called where nothing was done.
 */
export type BuildAuditEntries<Done> = (done: Done) => readonly NewAuditEntry[];

export interface AuditTrail {
  /** For what has no transaction of its own. */
  record(entry: NewAuditEntry): Promise<void>;
  /** The newest first, and of one moment the last recorded; `total`: of all. */
  list(query: OrganizationRows): Promise<{ readonly total: number; readonly entries: readonly AuditEntry[] }>;
}

// ── Secrets, limits, time, chance, errors ──────────────────────────────────────────────────────────────────

/** What a random token is for: one made for one purpose is nothing for another. */
export type TokenPurpose = 'login-link' | 'session' | 'calendar';

export interface Secrets {
  /** 24 random digits. */
  newAccessKey(): Secret;
  /** The keyed hashes under every known key, the current one first. */
  accessKeyHashes(accessKey: string): readonly string[];
  /** A random token of 256 bits and the hash to store in its place. */
  newToken(purpose: TokenPurpose): { readonly token: Secret; readonly hash: string };
  /** The hash under which such a token was stored; null when it can't be one of ours. */
  tokenHash(purpose: TokenPurpose, token: string): string | null;
  /** The id of the current key. */
  readonly keyId: string;
  /** Always the same text for the same invitation and known key (an unknown one counts as the current). */
  invitationToken(invitation: { readonly id: string; readonly keyId: string }): Secret;
  /** The id of the invitation whose token this is; null when it was not made by us. */
  readInvitationToken(token: string): string | null;
  /** `whsec_` and the base64 of 32 random bytes. */
  newSigningSecret(): Secret;
  /**
   * Encrypts for one organization: `open` works with the same organization only, and throws otherwise; `UnknownKey`
   * where the key is not configured any more.
   */
  seal(secret: { readonly secret: Secret; readonly organizationId: number }): string;
  open(sealed: { readonly sealed: string; readonly organizationId: number }): Secret;
  /** Hex of the HMAC-SHA256 of the text's UTF-8 bytes, keyed with the secret's UTF-8 bytes. */
  sign(text: { readonly body: string; readonly secret: Secret }): string;
}

/** At most `points` failures in `seconds` from the first of them; 0 points: no limit. */
export interface Limit {
  readonly name: string;
  readonly points: number;
  readonly seconds: number;
}

/** Counts failures together for all instances. */
export interface Limits {
  /**
   * Seconds until the subject may try again, 0 while it has failures left. Counts nothing and writes nothing. What
   * another instance has counted may be learnt a second late.
   */
  waitFor(limit: Limit, subject: string): Promise<number>;
  /**
   * Counts one failure and answers 0. With none left it counts nothing, writes nothing, and answers the seconds
   * until the subject may try again. Of several callers at once no more get 0 than there were failures left.
   */
  fail(limit: Limit, subject: string): Promise<number>;
  /** Takes one counted failure back, if its window is not over. */
  forgive(limit: Limit, subject: string): Promise<void>;
}

/** An attempt to get in that came to nothing. It never holds what was tried: no password, no key. */
export interface SecurityEvent {
  /** `failed`: the password or the access key was wrong. `refused`: not looked at, after too many failures. */
  readonly kind: 'sign-in-failed' | 'sign-in-refused' | 'authenticate-failed' | 'authenticate-refused';
  /** The IP address that the attempt came from, without a port; null: what was given is not one. */
  readonly address: string | null;
  /**
   * The e-mail address that was given, at most 254 characters without spaces and control characters; null: it goes
   * with an access key, or what was given is not an e-mail address and may be a password in the wrong field.
   */
  readonly account: string | null;
}

export interface SecurityLog {
  /** Nobody waits for it. Must not throw. */
  record(event: SecurityEvent): void;
}

export interface Clock {
  now(): Date;
  /** Ends after so many milliseconds. */
  pause(milliseconds: number): Promise<void>;
}

export interface Ids {
  /** A random UUID, version 4. */
  uuid(): string;
}

export interface ErrorTracker {
  report(
    error: unknown,
    context: {
      readonly severity: 'info' | 'error';
      readonly operation: string;
      readonly requestId: string | null;
      /** The event that was on its way. */
      readonly eventId?: string;
    },
  ): void;
}

export interface Ports {
  readonly organizations: Organizations;
  readonly tokens: Tokens;
  readonly users: Users;
  readonly members: Members;
  readonly passwords: Passwords;
  readonly invitations: Invitations;
  readonly loginLinks: LoginLinks;
  readonly sessions: Sessions;
  readonly meetings: Meetings;
  readonly webhooks: Webhooks;
  readonly outbox: Outbox;
  readonly deliveries: Deliveries;
  readonly auditTrail: AuditTrail;
  readonly calendarFeeds: CalendarFeeds;
  readonly webhookSender: WebhookSender;
  readonly dispatcher: Dispatcher;
  readonly secrets: Secrets;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Left out: nobody is told. */
  readonly securityLog?: SecurityLog | undefined;
}

/** The ports that keep something: one database stands for all of them. */
export type StoragePorts = Pick<
  Ports,
  | 'organizations'
  | 'users'
  | 'members'
  | 'invitations'
  | 'loginLinks'
  | 'sessions'
  | 'meetings'
  | 'webhooks'
  | 'outbox'
  | 'deliveries'
  | 'auditTrail'
  | 'calendarFeeds'
>;
