import type { Journal } from '../../access/ports/journal.js';
import type { Organization } from '../../access/ports/organizations.js';
import type { OrganizationRows } from '../../values/page.js';
import type { NewUser, User } from '../user.js';
import type { IdpIdConflict } from './invitations.js';

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
  /** The role that the member starts with. Null: that of the invitation that is accepted (see `givenRole`), or `member`. */
  readonly role: Role | null;
  /**
   * The id under which the organization's identity provider knows the member, which neither another member nor another
   * pending invitation may have. Null: the one of the invitation that is accepted, unless another member has it; or none.
   */
  readonly idpId: string | null;
  /** The invitation that the registration accepts; null: the pending one of the user's address, if there is one. */
  readonly invitationId: string | null;
  /** Whether the password of the user never opens the membership, as `SignOns.opens` says. Left out: no. */
  readonly needsSignOn?: boolean | undefined;
  /** When the membership begins, and when the invitation was accepted if there is one. */
  readonly at: Date;
}

/** A membership that begins or ends, as it is in that transaction. */
export interface MembershipFacts {
  /** The organization of the member. */
  readonly organization: Organization;
  /** The membership as it was stored, or as it was before it ended. */
  readonly member: Member;
}

/** Why nobody was registered. Nothing was changed. */
export type NotRegistered =
  | 'unknown-organization'
  | 'already-member'
  /** Another user has the address of the new user. */
  | 'account-exists'
  /** There is no user with the given id, for example because the person was erased. */
  | 'unknown-user'
  /** The invitation is no longer pending, or has expired by `at`. */
  | 'invitation-closed'
  | IdpIdConflict;

/** A member as a list of people shows them. */
export interface ListedMember extends Member {
  /** Whether the user has a password to sign in with. */
  readonly canSignIn: boolean;
  /** Whether the password alone signs them in no more. */
  readonly hasSecondFactor: boolean;
  /** Whether the member is linked to someone at the identity provider. */
  readonly isLinked: boolean;
  /**
   * When the member signed in last: with the password, at the identity provider, or with a login link of the organization, as
   * far back as its audit trail goes. Null: never.
   */
  readonly lastSignInAt: Date | null;
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
   * All or nothing, in one transaction: creates the user if new, adds the member and accepts the invitation. Of several
   * callers with the same invitation, address or membership, one succeeds. Nothing is kept if `journal` throws. Callers
   * wait neither for others who register other people in the organization nor for readers of its feed. However many
   * callers register and invite an address at once, the organization has no pending invitation of a member, and the UUID
   * of each invitation it returned is the member's.
   */
  register(member: NewMember, journal?: Journal<MembershipFacts>): Promise<Member | NotRegistered>;
  /**
   * In the given order, or by role; addresses and names in code point order. `total`: the number of all matching members;
   * `counts`: of those that match the words, how many have each role.
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
  ): Promise<{
    readonly total: number;
    readonly counts: Readonly<Record<Role, number>>;
    readonly members: readonly ListedMember[];
  }>;
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
   * replace one id with different ones, one succeeds. 'kept-by-directory', with nothing changed: `Directory` has an
   * `externalId` for the member. `before`: the earlier id.
   */
  setIdpId(
    change: MemberKey & { readonly idpId: string | null; readonly replaces?: string | null | undefined },
    journal?: Journal<Member & { readonly before: string | null }>,
  ): Promise<Member | 'not-a-member' | 'outdated' | 'kept-by-directory' | IdpIdConflict>;
  /**
   * However many callers there are at once, at least one owner is left. A role that the member already has is not a
   * change and makes no audit entry. 'outdated', with nothing changed: `replaces` is given, and the member has another
   * role. Of several callers that replace one role with different ones, one succeeds. `before`: the earlier role. The set-up
   * link that an owner has made ends, with its sessions, when they are an owner no more.
   */
  changeRole(
    change: MemberKey & { readonly role: Role; readonly replaces?: Role | undefined },
    journal?: Journal<Member & { readonly before: Role }>,
  ): Promise<Member | NotChanged | 'outdated'>;
  /**
   * Ends the membership. Also ends the sessions that are bound to the organization, the organization's login links for
   * the user, and its pending invitation of their address. However many callers there are at once, at least one owner
   * is left. 'is-owner', with nothing changed: the member is an owner and `keepsOwners` is true. A person whom `Directory`
   * has written is inactive there afterwards, and comes back as a member only. Returns the member as they were before.
   */
  remove(
    change: MemberKey & { readonly at: Date; readonly keepsOwners?: boolean | undefined },
    journal?: Journal<MembershipFacts>,
  ): Promise<Member | NotChanged | 'is-owner'>;
}
