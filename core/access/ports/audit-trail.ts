import type { Person, User } from '../../users/user.js';
import type { OrganizationRows } from '../../values/page.js';
import type { AuditAction } from '../activity-kinds.js';

/** Who acts. `directory`: the organization's directory. `setup-link`: a person with the organization's set-up link. `operator`: a program of the operator. `program`: code that embeds the core and does not name anyone. */
export type Who =
  /** 0 as the id of a stored user: a person who was erased. */
  | { readonly kind: 'user'; readonly userId: number }
  | { readonly kind: 'access-key' }
  | { readonly kind: 'directory' }
  | { readonly kind: 'setup-link' }
  | { readonly kind: 'command-line' }
  | { readonly kind: 'operator' }
  | { readonly kind: 'program' };

/** Who acts, and from where. */
export interface Actor {
  /** The user, the kind of key or the program that acts. */
  readonly who: Who;
  /** The address that the request came from, or null if there is none. */
  readonly from: string | null;
}

export type { AuditAction } from '../activity-kinds.js';

/** One action in an organization. */
export interface NewAuditEntry {
  /** The organization in whose audit trail the entry is. */
  readonly organizationId: number;
  /** When it was done, by the core's clock. */
  readonly at: Date;
  /** Who did it, and from which address. */
  readonly actor: Actor;
  /** What was done. */
  readonly action: AuditAction;
  /**
   * The object of the action in a few words without a secret, such as an address, and what changed from what; null: the
   * organization itself.
   */
  readonly subject: string | null;
  /** The user whom it concerns. Left out, or null: none, or not known. */
  readonly aboutUserId?: number | null | undefined;
  /** The id of the delivery, or the `userUuid` of the invitation. Left out, or null: neither. */
  readonly objectId?: string | null | undefined;
}

/** An entry as it is listed. */
export interface AuditEntry extends Omit<NewAuditEntry, 'aboutUserId' | 'objectId'> {
  /** Unique within the storage. */
  readonly id: number;
  /** The user who did it; null: the actor is not a user, or the user no longer exists. */
  readonly user: NamedUser | null;
  /** The user whom it concerns; null: there is none, or they are not a member of the organization now. */
  readonly about: NamedUser | null;
  /** The id of the delivery, or the `userUuid` of the invitation; null: neither, or a person of it was erased. */
  readonly objectId: string | null;
}

/** Only entries that match all of them. */
export interface AuditFilters {
  /** Only what this user, or any actor of this kind, did. Left out: anyone. */
  readonly who?: Who | undefined;
  /** Left out: any action. */
  readonly actions?: readonly AuditAction[] | undefined;
  /** Not before this time. */
  readonly since?: Date | undefined;
  /** Before this time. */
  readonly until?: Date | undefined;
  /** Empty: any. */
  readonly words?: readonly SearchedWord[] | undefined;
}

/** A word of a search, and the actions and kinds of actors whose names have it. */
export interface SearchedWord {
  /**
   * Part of the subject, of the address that the request came from, or of the name or address of `user` or `about` if that
   * is a member now, as in `Members.list`.
   */
  readonly text: string;
  /** An entry with one of these is found, too. */
  readonly actions: readonly AuditAction[];
  /** The same of actors that are not users. */
  readonly actors: readonly OtherActor[];
}

/** The kind of an actor that is not a user. */
export type OtherActor = Exclude<Who['kind'], 'user'>;

/** The part of a user that identifies them to other people. */
export interface NamedUser extends Person, Pick<User, 'id'> {}

/** The record of who did what in each organization. Only `PersonalData.erase` changes entries. */
export interface AuditTrail {
  /** For an action that has no transaction of its own. */
  record(entry: NewAuditEntry): Promise<void>;
  /**
   * The entries that match the filters, newest first; of entries with the same time, the last recorded first. `total`: the
   * number of all entries that match.
   */
  list(
    query: OrganizationRows & AuditFilters,
  ): Promise<{ readonly total: number; readonly entries: readonly AuditEntry[] }>;
  /**
   * In the same order, at most `limit` entries that match the filters and come after this entry. Null: from the newest one.
   */
  listAfter(
    query: AuditFilters & {
      readonly organizationId: number;
      readonly after: Pick<AuditEntry, 'at' | 'id'> | null;
      readonly limit: number;
    },
  ): Promise<readonly AuditEntry[]>;
  /**
   * The newest entry of the organization that has one of these actions. With `userId`, of what this user did. Null if
   * there is none.
   */
  lastOf(query: {
    readonly organizationId: number;
    readonly actions: readonly AuditAction[];
    readonly userId?: number | undefined;
  }): Promise<Pick<AuditEntry, 'action' | 'at'> | null>;
}
