/** The ports of users: users, members, invitations, login links, sessions and passwords. */
import type { BuildAuditEntries, NamedUser, Organization, OrganizationRows, Who } from '../access/ports.js';
import type { Secret } from '../values/secret.js';
import type { NewEvent, Webhook } from '../webhooks/ports.js';

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
  /** The stored hash, or null if the user has no password. */
  passwordHash(userId: number): Promise<string | null>;
  /** Changes the hash and ends every session of the user, in one transaction; false: there is no such user. */
  setPasswordHash(change: { readonly userId: number; readonly hash: string }): Promise<boolean>;
  /**
   * If the hash is still `from`: changes it to `to`, ends every session of the user and stores this one instead, in
   * one transaction. False, with nothing changed: the hash is no longer `from`.
   */
  replacePasswordHash(change: {
    readonly from: string;
    readonly to: string;
    readonly session: NewSession;
  }): Promise<boolean>;
  /**
   * Changes the address of the user who has `from` and ends every session of that user, in one transaction. Of several
   * callers that ask for the same address, one gets it.
   */
  setEmail(
    change: { readonly from: string; readonly to: string },
    buildEntries?: BuildAuditEntries<{ readonly user: User; readonly organizationIds: readonly number[] }>,
  ): Promise<User | 'not-a-user' | 'email-taken'>;
  /** Null: another user has the address. */
  create(user: NewUser): Promise<User | null>;
}

// ── Members ────────────────────────────────────────────────────────────────────────────────────────────────

export type Role = 'owner' | 'admin' | 'member';

/** A user seen from one organization. */
export interface Member {
  readonly organizationId: number;
  readonly user: User;
  /** The user's UUID as this organization knows it: the user's own, or the one the organization got when it invited them. */
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
  /** The invitation that the registration accepts, or null. */
  readonly invitationId: string | null;
  readonly at: Date;
}

/** What `register` passes to the core inside its transaction, so that the core can build the event. */
export interface Registered {
  readonly organization: Organization;
  readonly member: Member;
  readonly webhook: Webhook | null;
}

export type NotRegistered =
  | 'unknown-organization'
  | 'already-member'
  /** Another user has the address of the new user. */
  | 'account-exists'
  /** The invitation is no longer pending. */
  | 'invitation-closed'
  /** Another member of the organization has this `idpId`. */
  | 'idp-id-taken';

export interface ListedMember extends Member {
  /** Whether the user has a password to sign in with. */
  readonly canSignIn: boolean;
}

export type NotChanged =
  | 'not-a-member'
  /** The organization would be left without an owner. */
  | 'last-owner';

/** An organization of a user. */
export interface Membership {
  readonly organization: Organization;
  readonly role: Role;
}

export interface Members {
  byIdpId(key: { readonly organizationId: number; readonly idpId: string }): Promise<Member | null>;
  byUuid(key: { readonly organizationId: number; readonly uuid: string }): Promise<Member | null>;
  byUserId(key: { readonly organizationId: number; readonly userId: number }): Promise<Member | null>;
  /** Every organization of the user with the user's role, by organization id. */
  ofUser(userId: number): Promise<readonly Membership[]>;
  /**
   * All or nothing, in one transaction: creates the user if new, adds the member, marks the invitation as accepted,
   * calls `buildEvent` and writes the event to the outbox. Of several callers with the same invitation, address or
   * membership, one succeeds. Nothing is kept if `buildEvent` throws.
   */
  register(
    member: NewMember,
    buildEvent: (registered: Registered) => NewEvent | null,
    buildEntries?: BuildAuditEntries<Member>,
  ): Promise<Member | NotRegistered>;
  /**
   * Owners first, then admins, then members, each by e-mail address in code point order. `total`: the number of all
   * matching members. With `words`, only members whose first name, last name or address contains each word, in any case
   * (see `anyCasePattern`). No character of a word is a wildcard, and no word holds white space.
   */
  list(
    query: OrganizationRows & { readonly words?: readonly string[] | undefined },
  ): Promise<{ readonly total: number; readonly members: readonly ListedMember[] }>;
  /**
   * However many callers there are at once, at least one owner is left. A role that the member already has is not a
   * change and makes no audit entry.
   */
  changeRole(
    change: { readonly organizationId: number; readonly userId: number; readonly role: Role },
    buildEntries?: BuildAuditEntries<Member>,
  ): Promise<Member | NotChanged>;
  /**
   * Ends the membership. Also ends the sessions that are bound to the organization, the organization's login links for
   * the user, and its pending invitation of their address. However many callers there are at once, at least one owner
   * is left. Returns the member as they were before.
   */
  remove(
    change: { readonly organizationId: number; readonly userId: number; readonly at: Date },
    buildEntries?: BuildAuditEntries<Member>,
  ): Promise<Member | NotChanged>;
}

export interface Passwords {
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

// ── Invitations ────────────────────────────────────────────────────────────────────────────────────────────

export interface NewInvitation {
  /** UUID. */
  readonly id: string;
  /** The id of the key that derives the URL's token, so that the URL stays the same when the current key changes. */
  readonly keyId: string;
  readonly organizationId: number;
  /** The UUID under which the organization will know the user. */
  readonly userUuid: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly createdAt: Date;
  /** Null: not recorded. */
  readonly invitedBy: Who | null;
}

export interface Invitation extends NewInvitation {
  readonly acceptedAt: Date | null;
  readonly revokedAt: Date | null;
}

/** An invitation does not expire: it is pending until it is accepted or revoked. */
export type InvitationState = 'pending' | 'accepted' | 'revoked';

/**
 * The states of a list. `replaced`: revoked, and the address has a current invitation (see `Invitations.standing`).
 * `revoked`: revoked, and the address has none.
 */
export type ListedState = InvitationState | 'replaced';

export interface ListedInvitation extends Invitation {
  /** The user who invited; null: the inviter is not a user, or the user no longer exists. */
  readonly inviter: NamedUser | null;
}

/** Why an invitation cannot be closed: the organization has none with this id, or it is already closed. */
export type NotPending = 'unknown' | Exclude<InvitationState, 'pending'>;

export interface Invitations {
  /**
   * Returns the pending invitation of this address to this organization. If there is none, stores and returns `fresh`.
   * 'already-member': the address belongs to a member. 'unknown-organization': there is no such organization. Of 50
   * callers at once, all get the same invitation.
   */
  findOrCreatePending(
    fresh: NewInvitation,
    buildEntries?: BuildAuditEntries<Invitation>,
  ): Promise<Invitation | 'already-member' | 'unknown-organization'>;
  byId(invitationId: string): Promise<Invitation | null>;
  /** The invitation that gave the organization this UUID, in any state. */
  byUserUuid(key: { readonly organizationId: number; readonly uuid: string }): Promise<Invitation | null>;
  /**
   * For each address, the organization's current invitation: the pending one, or the one that made its user a member.
   * In any order, without addresses that have none.
   */
  standing(key: {
    readonly organizationId: number;
    readonly emails: readonly string[];
  }): Promise<readonly Invitation[]>;
  /** Newest first, then by id, in the given state or in any state. `total`: the number of all matching invitations. */
  list(
    query: OrganizationRows & { readonly state?: ListedState | undefined },
  ): Promise<{ readonly total: number; readonly invitations: readonly ListedInvitation[] }>;
  /** The invitation can no longer be accepted. Of several callers at once, one succeeds. */
  revoke(
    change: { readonly organizationId: number; readonly invitationId: string; readonly at: Date },
    buildEntries?: BuildAuditEntries<Invitation>,
  ): Promise<Invitation | NotPending>;
  /**
   * Revokes the invitation and stores a pending one for the same person under the same UUID, in one transaction. The
   * revoked one gets `retiredUuid`, because a UUID is unique in an organization. 'already-member', with nothing
   * changed: the address belongs to a member. Of several callers at once, one succeeds.
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

// ── Login links ────────────────────────────────────────────────────────────────────────────────────────────

export interface LoginLink {
  readonly organizationId: number;
  readonly userId: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly redeemedAt: Date | null;
}

export interface LoginLinks {
  store(
    link: Omit<LoginLink, 'redeemedAt'> & { readonly hash: string },
    buildEntries?: BuildAuditEntries<LoginLink>,
  ): Promise<void>;
  /** Changes nothing. */
  find(hash: string): Promise<LoginLink | null>;
  /** Marks the link as redeemed, if it is not redeemed yet and expires after `at`. True for one caller only. */
  redeem(
    use: { readonly hash: string; readonly at: Date },
    buildEntries?: BuildAuditEntries<LoginLink>,
  ): Promise<boolean>;
}

// ── Sessions ───────────────────────────────────────────────────────────────────────────────────────────────

export interface Session {
  readonly user: User;
  /** The organization whose member pages the session is limited to, because a login link started it; null: no limit. */
  readonly boundTo: number | null;
  readonly createdAt: Date;
  readonly seenAt: Date;
}

export interface NewSession {
  readonly hash: string;
  readonly userId: number;
  readonly boundTo: number | null;
  readonly createdAt: Date;
}

export interface VerifiedSession extends NewSession {
  /** The hash of the password that was verified; null: the session starts without a password. */
  readonly passwordHash: string | null;
}

export interface Sessions {
  /**
   * False, with nothing stored: the user's password has changed since it was verified. Once `setPasswordHash` or
   * `replacePasswordHash` has returned, no session that the old password started is left, in any order of callers.
   */
  create(session: VerifiedSession): Promise<boolean>;
  find(hash: string): Promise<Session | null>;
  /** Moves `seenAt` forward. Never brings an ended session back. */
  touch(use: { readonly hash: string; readonly at: Date }): Promise<void>;
  /** After that, `find` returns null on every instance. */
  end(hash: string): Promise<void>;
}
