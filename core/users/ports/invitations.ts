import type { NamedUser, Who } from '../../access/ports/audit-trail.js';
import type { Journal } from '../../access/ports/journal.js';
import type { OrganizationRows } from '../../values/page.js';
import type { Person } from '../user.js';

/** The roles that an invitation can give. */
export type InvitedRole = 'admin' | 'member';

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
  /** The role that the person gets by accepting, if the inviter may still give it then (see `givenRole`). */
  readonly role: InvitedRole;
  /** From then on, it counts as revoked; null: it does not expire. */
  readonly expiresAt: Date | null;
  /** When the person was invited, or when the invitation was renewed. */
  readonly createdAt: Date;
  /** Null: not recorded. */
  readonly invitedBy: Who | null;
}

/** A stored invitation. It is pending while both times are null. */
export interface Invitation extends NewInvitation {
  /** When the person became a member with it; null: not accepted. */
  readonly acceptedAt: Date | null;
  /** When it was revoked, replaced by a renewed one or had expired; null: not revoked. */
  readonly revokedAt: Date | null;
}

/** It is pending until it is accepted or revoked. One that has expired is revoked. */
export type InvitationState = 'pending' | 'accepted' | 'revoked';

/**
 * The states of a list. `replaced`: revoked, and the address has a current invitation (see `Invitations.current`).
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

/** The user who invited, as their organization knows them now. */
export interface Inviter extends NamedUser {
  /** Whether they are an owner of the organization now. */
  readonly isOwner: boolean;
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
  findOrCreatePending(fresh: NewInvitation, journal?: Journal<Invitation>): Promise<Invitation | NotInvited>;
  /** Finds an invitation in any state by its UUID, in any organization; null: there is none. */
  byId(invitationId: string): Promise<Invitation | null>;
  /** The invitation that gave the organization this UUID, in any state. */
  byUserUuid(key: { readonly organizationId: number; readonly uuid: string }): Promise<Invitation | null>;
  /**
   * For each address, the organization's current invitation: the pending one, or the one that made its user a member.
   * In any order, without addresses that have none. An address that is given twice counts once.
   */
  current(key: {
    readonly organizationId: number;
    readonly emails: readonly string[];
  }): Promise<readonly Invitation[]>;
  /** The user who sent the invitation; null: the inviter is not a user, or the user no longer exists. */
  inviter(invitation: Pick<Invitation, 'organizationId' | 'invitedBy'>): Promise<Inviter | null>;
  /**
   * The newest invitation of each address, in the given order, or the newest first and then by id, the largest first. With
   * `state`, only those in that state, and with `words`, only those whose first name, last name, address or `idpId`
   * contains each word, as in `Members.list`. `total`: the number of all that match; `counts`: of those that match the
   * words, how many are in each state. With `at`, those that have expired by then are revoked, each as of its `expiresAt`.
   */
  list(
    query: OrganizationRows & {
      readonly at?: Date | undefined;
      readonly state?: ListedState | undefined;
      readonly words?: readonly string[] | undefined;
      readonly order?: InvitationOrder | undefined;
    },
  ): Promise<{
    readonly total: number;
    readonly counts: Readonly<Record<ListedState, number>>;
    readonly invitations: readonly ListedInvitation[];
  }>;
  /**
   * At most `limit` invitations, the newest first, without their inviters: those that follow `after`, or the first. With
   * `email`, only those of this address, and with `idpId`, only those that have it. `isNewest`: only the newest of each
   * address. `words` and `at` as in `list`.
   */
  find(query: {
    readonly organizationId: number;
    readonly at?: Date | undefined;
    readonly state?: ListedState | undefined;
    readonly email?: string | undefined;
    readonly idpId?: string | undefined;
    readonly isNewest?: boolean | undefined;
    readonly words?: readonly string[] | undefined;
    readonly after?: Pick<Invitation, 'createdAt' | 'id'> | undefined;
    readonly limit: number;
  }): Promise<readonly Invitation[]>;
  /**
   * Revokes the organization's pending invitations that have expired by then, each as of its `expiresAt`. No other change
   * looks at `expiresAt` but `Members.register`: call it before you change invitations.
   */
  revokeExpired(due: { readonly organizationId: number; readonly at: Date }): Promise<void>;
  /** The invitation can no longer be accepted. Of several callers at once, one succeeds. */
  revoke(
    change: { readonly organizationId: number; readonly invitationId: string; readonly at: Date },
    journal?: Journal<Invitation>,
  ): Promise<Invitation | NotPending>;
  /**
   * Stores a pending invitation for the same person under the same UUID, and revokes the old one unless it is revoked
   * already, in one transaction. The old one gets `retiredUuid`, because a UUID is unique in an organization. A name,
   * `idpId` or role that `fresh` leaves out stays; without an `expiresAt`, it is valid as long as the old one was.
   * 'outdated', with nothing changed: `replaces` is given, `fresh` has an `idpId`, and the old one has neither of the two.
   * Of several callers at once, one succeeds. `before`: the old one, as it was.
   */
  renew(
    change: {
      readonly organizationId: number;
      readonly invitationId: string;
      readonly retiredUuid: string;
      readonly replaces?: string | null | undefined;
      readonly fresh: Pick<NewInvitation, 'id' | 'keyId' | 'createdAt' | 'invitedBy'> &
        Partial<Pick<NewInvitation, 'firstName' | 'lastName' | 'idpId' | 'role' | 'expiresAt'>>;
    },
    journal?: Journal<Invitation & { readonly before: Invitation }>,
  ): Promise<Invitation | NotRenewed | 'outdated'>;
}
