/** The ports of users: users, members, invitations, login links, sessions and passwords. */
import type {
  AuditAction,
  BuildAuditEntries,
  NamedUser,
  Organization,
  OrganizationRows,
  Who,
} from '../access/ports.js';
import type { WaitingStatus } from '../meetings/ports.js';
import type { Secret } from '../values/secret.js';
import type { NewEvent, RecordedDelivery, RegistrationEvent, Webhook } from '../webhooks/ports.js';

/** The address and the name of a person. */
export interface Person {
  /**
   * In a request, any address that `emailProblem` accepts. In a result, as it is stored: without spaces around it, in
   * lower case and in NFC.
   */
  readonly email: string;
  /** One line of at most 300 characters. */
  readonly firstName: string;
  /** One line of at most 300 characters. */
  readonly lastName: string;
}

/** A person with an account. One user can be a member of several organizations. */
export interface User extends Person {
  /** A whole number from 1 to 2^53 - 1, the same in every organization. */
  readonly id: number;
  /** The user's own UUID. An organization may know the user under another one, see `Member.uuid`. */
  readonly uuid: string;
  /** URL of a picture, or null. */
  readonly avatar: string | null;
  /** When the user was added, by registration, by the operator or by an import. */
  readonly createdAt: Date;
}

/** A user to be added. The storage chooses the `id`. */
export interface NewUser extends Person {
  /** A random UUID in lower case. */
  readonly uuid: string;
  /** What `Passwords.hash` returned; null: the user has no password and cannot sign in with one. */
  readonly passwordHash: string | null;
  /** When the user is added, by the core's clock. */
  readonly createdAt: Date;
}

/** Users, with their addresses and passwords. */
export interface Users {
  /** Finds a user by the normalized address (see `normalizeEmail`); null: nobody has it. */
  byEmail(email: string): Promise<User | null>;
  /** The stored hash, or null if the user has no password. */
  passwordHash(userId: number): Promise<string | null>;
  /**
   * Changes the hash and ends every session and password reset of the user, in one transaction; false: there is no such
   * user.
   */
  setPasswordHash(change: { readonly userId: number; readonly hash: string }): Promise<boolean>;
  /**
   * If the hash is still `from`: changes it to `to`, ends every session and password reset of the user, stores this
   * session instead and adds the mails, in one transaction. False, with nothing changed: the hash is no longer `from`.
   */
  replacePasswordHash(change: {
    readonly from: string;
    readonly to: string;
    readonly session: NewSession;
    readonly mails?: readonly NewMail[] | undefined;
  }): Promise<boolean>;
  /**
   * Changes the address of the user who has `from` and ends every session and password reset of that user, in one
   * transaction. Of several callers that ask for the same address, one gets it.
   */
  setEmail(
    change: { readonly from: string; readonly to: string },
    buildEntries?: BuildAuditEntries<{ readonly user: User; readonly organizationIds: readonly number[] }>,
  ): Promise<User | 'not-a-user' | 'email-taken'>;
  /** Null: another user has the address. */
  create(user: NewUser): Promise<User | null>;
}

// ── Members ────────────────────────────────────────────────────────────────────────────────────────────────

/** What a member may do: an admin everything that a member may, and an owner everything that an admin may. */
export type Role = 'owner' | 'admin' | 'member';

/** A user seen from one organization. */
export interface Member {
  /** The organization from which the user is seen. */
  readonly organizationId: number;
  /** The person, who may also be a member of other organizations. */
  readonly user: User;
  /** The user's UUID as this organization knows it: the user's own, or the one the organization got when it invited them. */
  readonly uuid: string;
  /** The role in this organization; the same user can have another role elsewhere. */
  readonly role: Role;
  /** The id under which the organization's identity provider knows the member. */
  readonly idpId: string | null;
  /** When the membership began. */
  readonly joinedAt: Date;
}

/** A membership to be added. */
export interface NewMember {
  /** The organization that the user joins. */
  readonly organizationId: number;
  /** A user to be added in the same transaction, or one who exists. */
  readonly user: NewUser | { readonly id: number };
  /** Null: the UUID of the invitation that is accepted, or the user's own. */
  readonly uuid: string | null;
  /** The role that the member starts with. */
  readonly role: Role;
  /**
   * The id under which the organization's identity provider knows the member, which neither another member nor another
   * pending invitation may have. Null: the one of the invitation that is accepted, unless another member has it; or none.
   */
  readonly idpId: string | null;
  /** The invitation that the registration accepts; null: the pending one of the user's address, if there is one. */
  readonly invitationId: string | null;
  /** When the membership begins, and when the invitation was accepted if there is one. */
  readonly at: Date;
}

/** What `register` passes to the core inside its transaction, so that the core can build the event. */
export interface Registered {
  /** The organization that the person joined. */
  readonly organization: Organization;
  /** The membership as it was stored. */
  readonly member: Member;
  /** The webhook as it is in this transaction; null: the organization has configured none. */
  readonly webhook: Webhook | null;
}

/** Why nobody was registered. Nothing was changed. */
export type NotRegistered =
  | 'unknown-organization'
  | 'already-member'
  /** Another user has the address of the new user. */
  | 'account-exists'
  /** There is no user with the given id, for example because the person was erased. */
  | 'unknown-user'
  /** The invitation is no longer pending. */
  | 'invitation-closed'
  | IdpIdConflict;

/** A member as a list of people shows them. */
export interface ListedMember extends Member {
  /** Whether the user has a password to sign in with. */
  readonly canSignIn: boolean;
}

/** Why a membership was not changed. */
export type NotChanged =
  | 'not-a-member'
  /** The organization would be left without an owner. */
  | 'last-owner';

/**
 * The orders of `Members.list`. `role`: owners first, then admins, then members. `name`: by first and last name (see
 * `sortKey`). `newest`: the last to join first. Members at the same place are in the order of their addresses.
 */
export type MemberOrder = 'role' | 'name' | 'newest';

/** Which members `Members.listByEmail` returns: those that match every filter that is given. */
export interface MemberFilters {
  /** The normalized address, compared exactly. */
  readonly email?: string | undefined;
  /** The id at the organization's identity provider, compared exactly. */
  readonly idpId?: string | undefined;
  /** The role in the organization. */
  readonly role?: Role | undefined;
  /** As in `Members.list`. */
  readonly words?: readonly string[] | undefined;
}

/** An organization of a user. */
export interface Membership {
  /** An organization that the user belongs to. */
  readonly organization: Organization;
  /** The user's role in that organization. */
  readonly role: Role;
}

/** Names a member by the ids of the organization and the user. */
export interface MemberKey {
  /** The organization's id. */
  readonly organizationId: number;
  /** The user's id, which is the same in every organization. */
  readonly userId: number;
}

/** The memberships of users in organizations. */
export interface Members {
  /**
   * Finds a member by the id at the organization's identity provider, compared exactly; null: the organization has no
   * such member.
   */
  byIdpId(key: { readonly organizationId: number; readonly idpId: string }): Promise<Member | null>;
  /**
   * Finds a member by the UUID that this organization knows, in lower case; null: the organization has no such member.
   */
  byUuid(key: { readonly organizationId: number; readonly uuid: string }): Promise<Member | null>;
  /** Finds a member by the id of the user; null: the user is not a member of the organization. */
  byUserId(key: MemberKey): Promise<Member | null>;
  /** Every organization of the user with the user's role, by organization id. */
  ofUser(userId: number): Promise<readonly Membership[]>;
  /**
   * All or nothing, in one transaction: creates the user if new, adds the member, accepts the invitation, calls
   * `buildEvent`, records the event in the feed and, if it `isDelivered`, writes it to the outbox. Of several callers with
   * the same invitation, address or membership, one succeeds. Nothing is kept if `buildEvent` throws. Callers wait neither
   * for others who register other people in the organization nor for readers of its feed. However many callers register
   * and invite an address at once, the organization has no pending invitation of a member, and the UUID of each invitation
   * it returned is the member's.
   */
  register(
    member: NewMember,
    buildEvent: (registered: Registered) => RegistrationEvent | null,
    buildEntries?: BuildAuditEntries<Member>,
  ): Promise<Member | NotRegistered>;
  /**
   * In the given order, or by role; addresses and names in code point order. `total`: the number of all matching members.
   * With `role`, only members with that role. With `words`, only members whose first name, last name, address or `idpId`
   * contains each word, in any case and with any accents (see `searchPattern`). No character of a word is a wildcard, and
   * no word holds white space.
   */
  list(
    query: OrganizationRows & {
      readonly words?: readonly string[] | undefined;
      readonly role?: Role | undefined;
      readonly order?: MemberOrder | undefined;
    },
  ): Promise<{ readonly total: number; readonly members: readonly ListedMember[] }>;
  /**
   * By e-mail address in code point order, at most `limit` members: those that match the filters and whose address comes
   * after `after`. Null: from the first one.
   */
  listByEmail(
    query: MemberFilters & {
      readonly organizationId: number;
      readonly after: string | null;
      readonly limit: number;
    },
  ): Promise<readonly Member[]>;
  /**
   * Sets the id at the organization's identity provider, or removes it if it is null. Of several callers that ask for the
   * same id, also for an invitation, one gets it. An id that the member already has is not a change and makes no audit
   * entry. 'outdated', with nothing changed: `replaces` is given, and the member has another id. Of several callers that
   * replace one id with different ones, one succeeds.
   */
  setIdpId(
    change: MemberKey & { readonly idpId: string | null; readonly replaces?: string | null | undefined },
    buildEntries?: BuildAuditEntries<Member>,
  ): Promise<Member | 'not-a-member' | 'outdated' | IdpIdConflict>;
  /**
   * However many callers there are at once, at least one owner is left. A role that the member already has is not a
   * change and makes no audit entry. 'outdated', with nothing changed: `replaces` is given, and the member has another
   * role. Of several callers that replace one role with different ones, one succeeds.
   */
  changeRole(
    change: MemberKey & { readonly role: Role; readonly replaces?: Role | undefined },
    buildEntries?: BuildAuditEntries<Member>,
  ): Promise<Member | NotChanged | 'outdated'>;
  /**
   * Ends the membership. Also ends the sessions that are bound to the organization, the organization's login links for
   * the user, and its pending invitation of their address. However many callers there are at once, at least one owner
   * is left. 'is-owner', with nothing changed: the member is an owner and `keepsOwners` is true. Returns the member as
   * they were before.
   */
  remove(
    change: MemberKey & { readonly at: Date; readonly keepsOwners?: boolean | undefined },
    buildEntries?: BuildAuditEntries<Member>,
  ): Promise<Member | NotChanged | 'is-owner'>;
}

/** Hashes and verifies passwords. Slow on purpose: an adapter limits how many run at once. */
export interface Passwords {
  /** Returns a salted hash that holds its own parameters: the same password never gets the same hash twice. */
  hash(password: Secret): Promise<string>;
  /**
   * Calls `hash` once, immediately before the check, so that an attempt that ends with `Unavailable` earlier is not
   * counted. If `hash` throws, passes the error on and checks nothing. If `hash` returns null, returns false after the
   * same time as a check.
   */
  verify(attempt: {
    readonly password: Secret;
    readonly hash: () => Promise<string | null>;
  }): Promise<boolean>;
}

/** The passwords that attackers try first: common ones and leaked ones, from a list that needs no network. */
export interface CommonPasswords {
  /** Whether the list has exactly this password, in upper or lower case. */
  has(password: Secret): Promise<boolean>;
}

// ── Invitations ────────────────────────────────────────────────────────────────────────────────────────────

/** An invitation as it is first stored. The name is the one that the inviter gave. */
export interface NewInvitation extends Person {
  /** UUID. */
  readonly id: string;
  /** The id of the key that derives the URL's token, so that the URL stays the same when the current key changes. */
  readonly keyId: string;
  /** The organization that the person is invited to. */
  readonly organizationId: number;
  /** The UUID under which the organization will know the user. */
  readonly userUuid: string;
  /**
   * The id under which the organization's identity provider will know the member, unique among the organization's
   * members and pending invitations when it is stored; null: none.
   */
  readonly idpId: string | null;
  /** When the person was invited, or when the invitation was renewed. */
  readonly createdAt: Date;
  /** Null: not recorded. */
  readonly invitedBy: Who | null;
}

/** A stored invitation. It is pending while both times are null. */
export interface Invitation extends NewInvitation {
  /** When the person became a member with it; null: not accepted. */
  readonly acceptedAt: Date | null;
  /** When it was revoked or replaced by a renewed one; null: not revoked. */
  readonly revokedAt: Date | null;
}

/** An invitation does not expire: it is pending until it is accepted or revoked. */
export type InvitationState = 'pending' | 'accepted' | 'revoked';

/**
 * The states of a list. `replaced`: revoked, and the address has a current invitation (see `Invitations.standing`).
 * `revoked`: revoked, and the address has none.
 */
export type ListedState = InvitationState | 'replaced';

/**
 * The orders of `Invitations.list`. `newest` and `oldest`: by the time of the invitation and then by id. `name`: by first
 * and last name (see `sortKey`), and the newest first of the same name.
 */
export type InvitationOrder = 'newest' | 'oldest' | 'name';

/** An invitation as a list shows it, with the person who invited. */
export interface ListedInvitation extends Invitation {
  /** The user who invited; null: the inviter is not a user, or the user no longer exists. */
  readonly inviter: NamedUser | null;
}

/** Why a member or an invitation cannot have an `idpId`. Nothing was changed. */
export type IdpIdConflict =
  /** Another member of the organization has it. */
  | 'idp-id-of-member'
  /** Another pending invitation of the organization has it. */
  | 'idp-id-of-invitation';

/** Why nobody was invited. Nothing was changed. */
export type NotInvited =
  | 'unknown-organization'
  /** The address belongs to a member. */
  | 'already-member'
  /** The pending invitation of the address has another `idpId`. */
  | 'other-idp-id'
  | IdpIdConflict;

/** Why an invitation cannot be closed: the organization has none with this id, or it is already closed. */
export type NotPending = 'unknown' | Exclude<InvitationState, 'pending'>;

/** Why an invitation cannot be renewed. Nothing was changed. */
export type NotRenewed =
  | 'unknown'
  | 'accepted'
  /** It was revoked, and the address has another pending invitation. */
  | 'replaced'
  /** The address belongs to a member. */
  | 'already-member'
  | IdpIdConflict;

/** Invitations of organizations. An address has at most one pending invitation to each organization. */
export interface Invitations {
  /**
   * Returns the pending invitation of this address to this organization. If there is none, stores and returns `fresh`.
   * If it has no `idpId`, it gets the one of `fresh`. Of 50 callers at once, all get the same invitation. Of several
   * callers who give one `idpId` to members or pending invitations of an organization, one succeeds. Only a change makes
   * audit entries.
   */
  findOrCreatePending(
    fresh: NewInvitation,
    buildEntries?: BuildAuditEntries<Invitation>,
  ): Promise<Invitation | NotInvited>;
  /** Finds an invitation in any state by its UUID, in any organization; null: there is none. */
  byId(invitationId: string): Promise<Invitation | null>;
  /** The invitation that gave the organization this UUID, in any state. */
  byUserUuid(key: { readonly organizationId: number; readonly uuid: string }): Promise<Invitation | null>;
  /**
   * For each address, the organization's current invitation: the pending one, or the one that made its user a member.
   * In any order, without addresses that have none. An address that is given twice counts once.
   */
  standing(key: {
    readonly organizationId: number;
    readonly emails: readonly string[];
  }): Promise<readonly Invitation[]>;
  /**
   * In the given order, or the newest first and then by id, the largest first. `total`: the number of all matching
   * invitations. With `state`, only those in that state, and with `words`, only those whose first name, last name, address
   * or `idpId` contains each word, as in `Members.list`.
   */
  list(
    query: OrganizationRows & {
      readonly state?: ListedState | undefined;
      readonly words?: readonly string[] | undefined;
      readonly order?: InvitationOrder | undefined;
    },
  ): Promise<{ readonly total: number; readonly invitations: readonly ListedInvitation[] }>;
  /**
   * At most `limit` invitations in the order of `list`, without their inviters: those that follow `after`, or the first.
   * With `email`, only those of this address, and with `idpId`, only those that have it. `words` as in `list`.
   */
  find(query: {
    readonly organizationId: number;
    readonly state?: ListedState | undefined;
    readonly email?: string | undefined;
    readonly idpId?: string | undefined;
    readonly words?: readonly string[] | undefined;
    readonly after?: Pick<Invitation, 'createdAt' | 'id'> | undefined;
    readonly limit: number;
  }): Promise<readonly Invitation[]>;
  /** The invitation can no longer be accepted. Of several callers at once, one succeeds. */
  revoke(
    change: { readonly organizationId: number; readonly invitationId: string; readonly at: Date },
    buildEntries?: BuildAuditEntries<Invitation>,
  ): Promise<Invitation | NotPending>;
  /**
   * Stores a pending invitation for the same person under the same UUID, and revokes the old one unless it is revoked
   * already, in one transaction. The old one gets `retiredUuid`, because a UUID is unique in an organization. A name or
   * `idpId` that `fresh` leaves out stays. 'outdated', with nothing changed: `replaces` is given, `fresh` has an `idpId`,
   * and the old one has neither of the two. Of several callers at once, one succeeds.
   */
  renew(
    change: {
      readonly organizationId: number;
      readonly invitationId: string;
      readonly retiredUuid: string;
      readonly replaces?: string | null | undefined;
      readonly fresh: Pick<NewInvitation, 'id' | 'keyId' | 'createdAt' | 'invitedBy'> &
        Partial<Pick<NewInvitation, 'firstName' | 'lastName' | 'idpId'>>;
    },
    buildEntries?: BuildAuditEntries<Invitation>,
  ): Promise<Invitation | NotRenewed | 'outdated'>;
}

// ── Login links ────────────────────────────────────────────────────────────────────────────────────────────

/** A link that signs one member in, once. It is stored under the hash of its token. */
export interface LoginLink extends MemberKey {
  /** When the link was issued. */
  readonly createdAt: Date;
  /** From this time on the link cannot be redeemed. */
  readonly expiresAt: Date;
  /** When the link signed the member in; null: not yet. */
  readonly redeemedAt: Date | null;
}

/** Login links, stored under the hashes of their tokens. */
export interface LoginLinks {
  /**
   * Stores a new link. The hash is unique, because the token is random. False, with nothing stored: the user is not a
   * member of the organization, for example because they were removed meanwhile. Of a removal and a new link at once,
   * whichever comes first, no link is left.
   */
  store(
    link: Omit<LoginLink, 'redeemedAt'> & { readonly hash: string },
    buildEntries?: BuildAuditEntries<LoginLink>,
  ): Promise<boolean>;
  /**
   * Finds a link in any state, also an expired or redeemed one, and changes nothing; null: there is no link with this
   * hash.
   */
  find(hash: string): Promise<LoginLink | null>;
  /** Marks the link as redeemed, if it is not redeemed yet and expires after `at`. True for one caller only. */
  redeem(
    use: { readonly hash: string; readonly at: Date },
    buildEntries?: BuildAuditEntries<LoginLink>,
  ): Promise<boolean>;
}

// ── Mail and password resets ───────────────────────────────────────────────────────────────────────────────

/** What a mail is about. Its text is written when it is sent, so that no secret is stored with it. */
export type MailKind =
  | 'password-reset'
  | 'password-changed'
  | 'access-key-replaced'
  | 'webhook-failing'
  | 'webhook-working'
  | 'invitation';

/** A mail to be sent. */
export interface NewMail {
  /** What it is about. */
  readonly kind: MailKind;
  /** The normalized address that it is for. A user need not have it. */
  readonly email: string;
  /** The organization that it is about, which need not exist any more; left out or null: none. */
  readonly organizationId?: number | null | undefined;
  /** The id of the invitation whose link it holds, which need not exist any more; left out or null: none. */
  readonly invitationId?: string | null | undefined;
  /** When the mail was added. */
  readonly createdAt: Date;
}

/** A mail about an organization, to each user who is its owner when the mail is added. */
export interface NewOwnersMail {
  /** What it is about. */
  readonly kind: MailKind;
  /** The id of the organization. */
  readonly ownersOf: number;
  /** When the mail was added. */
  readonly createdAt: Date;
}

/** A mail that one process is about to send. */
export interface ClaimedMail extends NewMail {
  /** Unique within the storage. */
  readonly id: number;
  /** As in `NewMail`; null: none. */
  readonly organizationId: number | null;
  /** As in `NewMail`; null: none. */
  readonly invitationId: string | null;
  /** The claim that took it. */
  readonly claim: string;
  /** How many claims took it before. */
  readonly attempts: number;
}

/** Mails that wait to be sent. A mail that was sent is deleted. */
export interface Mails {
  /** Adds a mail that is due from its `createdAt` on. */
  add(mail: NewMail): Promise<void>;
  /**
   * Takes mails that are due at `at`, those that have been due longest first, and makes them due again at `until`: if
   * the process crashes, another one sends them. Of several callers at once, one gets a mail.
   */
  claim(request: {
    readonly limit: number;
    /** A new UUID. */
    readonly claim: string;
    readonly at: Date;
    readonly until: Date;
  }): Promise<readonly ClaimedMail[]>;
  /** Deletes the mail. False, with nothing changed: another claim has it, or it no longer exists. */
  finish(mail: { readonly id: number; readonly claim: string }): Promise<boolean>;
  /** Makes the mail due at `dueAt`. False, with nothing changed: another claim has it, or it no longer exists. */
  postpone(mail: { readonly id: number; readonly claim: string; readonly dueAt: Date }): Promise<boolean>;
}

/** A link with which one user can set a new password, once. It is stored under the hash of its token. */
export interface PasswordReset {
  /** The user whose password it sets, as they are now. */
  readonly user: User;
  /** From this time on the link cannot be used. */
  readonly expiresAt: Date;
}

/** Links to set a new password. They end with the next password or address of their user. */
export interface PasswordResets {
  /** Stores a link for the user who has this normalized address. Null, with nothing stored: nobody has it. */
  store(reset: {
    readonly hash: string;
    readonly email: string;
    readonly createdAt: Date;
    readonly expiresAt: Date;
  }): Promise<User | null>;
  /** Finds a link, also an expired one, and changes nothing; null: there is none with this hash. */
  find(hash: string): Promise<PasswordReset | null>;
  /**
   * If the link expires after `at`: sets the password of its user, ends every session and password reset of the user and
   * adds the mails, in one transaction. True for one caller only, also of several with different links of one user.
   */
  redeem(use: {
    readonly hash: string;
    readonly at: Date;
    readonly passwordHash: string;
    readonly mails: readonly NewMail[];
  }): Promise<boolean>;
}

/** A mail with its text, ready to be sent. */
export interface Mail {
  /** The address of the only recipient. */
  readonly to: string;
  /** One line. */
  readonly subject: string;
  /** Plain text. It can hold a link that signs someone in, so it is in no log. */
  readonly text: Secret;
}

/** What became of a mail. Reasons name neither the recipient nor anything in the text. */
export type SentMail =
  | { readonly outcome: 'sent' }
  /** The mail server will not take this mail, now or later. */
  | { readonly outcome: 'refused'; readonly reason: string }
  /** The mail server could not be reached, or said to try again later. */
  | { readonly outcome: 'failed'; readonly reason: string };

/** Hands mails to a mail server. */
export interface Mailer {
  /** Sends one mail to its one recipient. Never throws, and ends after a minute at the latest. */
  send(mail: Mail): Promise<SentMail>;
}

// ── Sessions ───────────────────────────────────────────────────────────────────────────────────────────────

/** A signed-in user in one browser. */
export interface Session {
  /** The user as they are now, not as they were when the session began. */
  readonly user: User;
  /** The organization whose member pages the session is limited to, because a login link started it; null: no limit. */
  readonly boundTo: number | null;
  /** When the user signed in; the session ends `sessionLifetimeMs` later. */
  readonly createdAt: Date;
  /** The last request, to the minute; the session ends `sessionIdleTimeMs` later. */
  readonly seenAt: Date;
  /** The browser and the system that the user signed in with, such as `Firefox on Android`; null: not known. */
  readonly device: string | null;
}

/** A session with the hash under which it is stored. */
export interface StoredSession extends Omit<Session, 'user'> {
  /** The hash of the cookie's value. */
  readonly hash: string;
}

/** A session as it is stored. */
export interface NewSession {
  /** The hash of the cookie's value, which itself is not stored. */
  readonly hash: string;
  /** The user who signed in. */
  readonly userId: number;
  /** The organization whose member pages the session is limited to; null: no limit. */
  readonly boundTo: number | null;
  /** When the user signed in, which is also the first `seenAt`. */
  readonly createdAt: Date;
  /** The browser and the system, as `readDevice` returned them. Left out: not known. */
  readonly device?: string | null | undefined;
}

/** A session to be stored, with the password that was verified for it. */
export interface VerifiedSession extends NewSession {
  /** The hash of the password that was verified; null: the session starts without a password. */
  readonly passwordHash: string | null;
}

/** Sessions of signed-in users, stored under the hashes of their cookies. */
export interface Sessions {
  /**
   * False, with nothing stored: the user's password has changed since it was verified, there is no such user (the person
   * was erased, for example), or the session is bound to an organization that the user is not a member of.
   *
   * In any order of callers: once `setPasswordHash` or `replacePasswordHash` has returned, no session that the old
   * password started is left; once a member has been removed, no session bound to that organization is left of them.
   */
  create(session: VerifiedSession): Promise<boolean>;
  /** Finds a session that has not been ended, even if it is too old: the core checks its age. Null: there is none. */
  find(hash: string): Promise<Session | null>;
  /** Moves `seenAt` forward. Never brings an ended session back. */
  touch(use: { readonly hash: string; readonly at: Date }): Promise<void>;
  /**
   * The sessions of the user that began after `createdAfter` and were used after `seenAfter`, at most `limit`: those that
   * were used last, the last one first.
   */
  ofUser(query: {
    readonly userId: number;
    readonly createdAfter: Date;
    readonly seenAfter: Date;
    readonly limit: number;
  }): Promise<readonly StoredSession[]>;
  /** After that, `find` returns null on every instance. Of several callers, one gets true; false: it had ended before. */
  end(hash: string, buildEntries?: BuildAuditEntries<StoredSession>): Promise<boolean>;
  /**
   * Ends every other session of the user who has this one, in one transaction. False, with nothing changed: this one has
   * ended. If several sessions of a user end the others at once, one of them is left.
   */
  endOthers(hash: string, buildEntries?: BuildAuditEntries<readonly StoredSession[]>): Promise<boolean>;
}

// ── Personal data ──────────────────────────────────────────────────────────────────────────────────────────

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
  }[];
  /** The meetings whose group leader the person is. */
  readonly ledMeetings: readonly PersonalMeeting[];
  /** What the person did, and what was done to the person. */
  readonly auditEntries: readonly PersonalAuditEntry[];
  /** The events about the person that are in the feeds. */
  readonly events: readonly NewEvent[];
  /** The deliveries of these events. */
  readonly deliveries: readonly RecordedDelivery[];
}

/** The account of a person, without the hash of the password. */
export interface PersonalAccount extends User {
  /** Whether the user has a password to sign in with. */
  readonly hasPassword: boolean;
}

/** A membership in a `PersonalRecord`. */
export interface PersonalMembership extends Omit<Member, 'user'> {
  /** Whether the organization would be left without an owner. */
  readonly isOnlyOwner: boolean;
}

/** A meeting in a `PersonalRecord`. */
export interface PersonalMeeting {
  /** The meeting's id. */
  readonly id: number;
  /** Null: a meeting of the service itself. */
  readonly organizationId: number | null;
  /** The meeting's name. */
  readonly name: string;
  /** When it begins. */
  readonly startTime: Date;
}

/** An entry of an audit trail in a `PersonalRecord`. */
export interface PersonalAuditEntry {
  /** The organization in whose audit trail the entry is. */
  readonly organizationId: number;
  /** When it was done. */
  readonly at: Date;
  /** What was done. */
  readonly action: AuditAction;
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
   * The account, memberships, invitations of the person, sessions, login links, calendar feeds, seats and waiting places
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
   * 'in-other-organization': another organization has the person as a member or pending invitation or in a meeting, or
   * the person leads a meeting of the service.
   */
  erase(
    request: ErasePerson,
    buildEntries?: BuildAuditEntries<ErasedPerson>,
  ): Promise<ErasedPerson | NotErased>;
}
