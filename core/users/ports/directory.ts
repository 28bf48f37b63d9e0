import type { Journal } from '../../access/ports/journal.js';
import type { Organization } from '../../access/ports/organizations.js';
import type { OrganizationRows } from '../../values/page.js';
import type { Person, User } from '../user.js';
import type { Invitation } from './invitations.js';
import type { Member } from './members.js';

/** What an organization's directory says about a person, as it was sent; null: nothing. */
export interface DirectoryEntry {
  /** The name under which the directory knows the person, unique in it without regard to case. */
  readonly userName: string;
  /** The id of the person at the identity provider, which becomes the member's `idpId`; unique, compared exactly. */
  readonly externalId: string | null;
  /** The first name, one line of at most 300 characters. */
  readonly givenName: string | null;
  /** The last name, the same. */
  readonly familyName: string | null;
  /** The whole name, the same. */
  readonly displayName: string | null;
  /** An address; unique without regard to case. */
  readonly email: string | null;
  /** Whether the person may come in. */
  readonly isActive: boolean;
}

/** Names a person of a directory. */
export interface DirectoryKey {
  /** The organization whose directory it is. */
  readonly organizationId: number;
  /** The UUID under which the organization knows the person, in lower case. */
  readonly uuid: string;
}

/** A person whom the directory of an organization sees. Each member is one. */
export interface DirectoryPerson extends DirectoryEntry, DirectoryKey {
  /** Whether the directory has written the person. The entry of another member is what the membership says. */
  readonly isWritten: boolean;
  /** The membership; null: the person is inactive, or was invited. */
  readonly member: Member | null;
}

/** An entry as the directory writes it. */
export interface WrittenEntry {
  /** What the directory says from now on. */
  readonly entry: DirectoryEntry;
  /** The address and the name of the account, if one is made. */
  readonly account: Person;
}

/** Ids that are used if something new is stored. All of them are random. */
export interface NewDirectoryIds {
  /** Of the person and of the account. */
  readonly uuid: string;
  /** Of the invitation. */
  readonly invitationId: string;
  /** The id of the key that derives the token of the invitation. */
  readonly keyId: string;
  /** For a closed invitation whose UUID a new one gets. */
  readonly retiredUuid: string;
}

/** Why nothing was written. */
export type NotWritten =
  | 'unknown-organization'
  | 'user-name-taken'
  /** Another person, member or pending invitation has it. */
  | 'external-id-taken'
  | 'email-taken'
  | NotEnded;

/** Why a membership did not end. */
export type NotEnded =
  /** The organization has no such person. */
  | 'unknown'
  /** The last owner. All access that began before has ended, and the membership stays. */
  | 'last-owner'
  /** An admin or an owner whom the directory has never written. */
  | 'not-written';

/** What a write has done, as it is in that transaction. */
export interface DirectoryChange {
  /** The organization of the person. */
  readonly organization: Organization;
  /** Null: the person is new. */
  readonly before: DirectoryPerson | null;
  /** Null: the person was removed. */
  readonly person: DirectoryPerson | null;
  /** The membership if it is new, and was not restored. */
  readonly registered: Member | null;
  /** The membership that has ended. */
  readonly ended: Member | null;
  /** The invitation that was stored. */
  readonly invited: Invitation | null;
  /** The invitation that was revoked. */
  readonly revoked: Invitation | null;
  /** The account, if its address or name was changed. */
  readonly account: { readonly before: User; readonly after: User } | null;
  /** The last owner, whose access has ended and whose membership stays. */
  readonly signedOut: Member | null;
}

/** How many people each organization's directory has. */
export interface DirectoryCounts {
  /** Members. */
  readonly active: number;
  /** People who are known and may not come in. */
  readonly inactive: number;
  /** Members without an `idpId`. */
  readonly withoutIdpId: number;
  /** People who are active and no members: their addresses had accounts already, and they were invited. */
  readonly invited: number;
}

/** A request of the directory, without anything that names a person but the UUID. */
export interface DirectoryRequest {
  /** The organization whose directory asked. */
  readonly organizationId: number;
  /** When it was answered, by the core's clock. */
  readonly at: Date;
  /** Such as `PATCH`. */
  readonly method: string;
  /** The status of the answer. */
  readonly status: number;
  /** What was done or why it was refused, in a few words without an address or a value that was sent. */
  readonly reason: string;
  /** The person whom it was about; null: nobody, or someone who was erased. */
  readonly uuid: string | null;
}

/**
 * The people of each organization as its directory knows them. A membership that a directory makes needs sign-on, as
 * `SignOns.opens` says.
 */
export interface Directory {
  /** Finds a person; null: unknown, or removed. */
  byUuid(key: DirectoryKey): Promise<DirectoryPerson | null>;
  /** Finds a person by `userName`, without regard to case; a member whom the directory has not written, by the address. */
  byUserName(key: {
    readonly organizationId: number;
    readonly userName: string;
  }): Promise<DirectoryPerson | null>;
  /** Finds a person by `externalId`, compared exactly; a member whom the directory has not written, by `idpId`. */
  byExternalId(key: {
    readonly organizationId: number;
    readonly externalId: string;
  }): Promise<DirectoryPerson | null>;
  /** Finds a person by the address, without regard to case. */
  byEmail(key: { readonly organizationId: number; readonly email: string }): Promise<DirectoryPerson | null>;
  /** All people, in an order that does not change; `total`: how many there are. */
  list(
    rows: OrganizationRows,
  ): Promise<{ readonly total: number; readonly people: readonly DirectoryPerson[] }>;
  /** The people who are inactive, and no members, by `userName`; at most `limit`. */
  listInactive(query: {
    readonly organizationId: number;
    readonly limit: number;
  }): Promise<readonly (DirectoryEntry & DirectoryKey)[]>;
  /** Counts the people. */
  counts(organizationId: number): Promise<DirectoryCounts>;
  /**
   * Writes a new person. A member whom the directory has not written, with this `externalId` as `idpId`, or else this
   * `userName` or address, is that person and gets the entry. Otherwise, if the entry is active: an address without an
   * account becomes a new account without a password, and its membership, with the UUID of the pending invitation of the
   * address, if there is one. So does the account of a person whom this directory has removed, if
   * nobody else uses it. Any other account is
   * invited. An inactive entry is only kept, and a pending invitation
   * of its address is revoked. Of several callers with one `userName`, `externalId` or address, one succeeds.
   * Nothing is kept if `journal` throws.
   */
  create(
    fresh: WrittenEntry & {
      readonly organizationId: number;
      readonly at: Date;
      readonly ids: NewDirectoryIds;
    },
    journal?: Journal<DirectoryChange>,
  ): Promise<DirectoryPerson | NotWritten>;
  /**
   * Calls `decide` with the person and writes what it returns. No other caller writes in between. If `decide` throws,
   * nothing is stored and the error is passed on. An entry that changes nothing makes no journal.
   *
   * An entry that becomes inactive ends the membership as `Members.remove` does, and keeps the UUID, the role, the `idpId`
   * and the time of joining, which an active entry restores. Without a membership to restore, the person is admitted as
   * `create` says. A pending invitation of an inactive person is revoked, and a membership
   * that the person has got since then in another way ends as well.
   *
   * The `idpId` of the member becomes the `externalId`. The address and the name of the account become those of the entry
   * where they differ from the entry before, if sign-on or a directory has made the membership, its role is member, the account has
   * no password and no other organization knows it.
   */
  change(
    key: DirectoryKey & { readonly at: Date; readonly ids: NewDirectoryIds },
    decide: (current: DirectoryPerson) => WrittenEntry,
    journal?: Journal<DirectoryChange>,
  ): Promise<DirectoryPerson | NotWritten>;
  /**
   * Forgets a person and ends the membership as `Members.remove` does. Of several callers, one gets the person. Only that the
   * account was this directory's is kept.
   */
  remove(
    key: DirectoryKey & { readonly at: Date },
    journal?: Journal<DirectoryChange>,
  ): Promise<DirectoryPerson | NotEnded>;
  /** Stores a request. Of each organization, the newest `maxDirectoryRequests` stay. One of no organization is left out. */
  record(request: DirectoryRequest): Promise<void>;
  /** The newest requests first; of the same time, the last recorded first. */
  requests(query: {
    readonly organizationId: number;
    readonly limit: number;
  }): Promise<readonly DirectoryRequest[]>;
}
