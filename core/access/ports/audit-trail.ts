import type { Person } from '../../users/user.js';
import type { OrganizationRows } from '../../values/page.js';

/** Who acts. `operator`: a program of the operator. `program`: code that embeds the core and does not name anyone. */
export type Who =
  /** 0 as the id of a stored user: a person who was erased. */
  | { readonly kind: 'user'; readonly userId: number }
  | { readonly kind: 'access-key' }
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

/** What was done. The `subject` of the entry tells what it was done to. */
export type AuditAction =
  | 'organization-created'
  | 'organization-renamed'
  | 'access-key-generated'
  | 'access-key-replaced'
  | 'webhook-configured'
  | 'signing-secret-rotated'
  | 'secret-rotation-finished'
  | 'webhook-tested'
  | 'delivery-redelivered'
  | 'deliveries-redelivered'
  | 'deliveries-dismissed'
  | 'deliveries-dropped'
  | 'user-invited'
  | 'invitation-revoked'
  | 'invitation-renewed'
  | 'member-added'
  | 'role-changed'
  | 'member-removed'
  | 'idp-id-set'
  | 'email-changed'
  | 'name-changed'
  | 'user-erased'
  | 'login-link-issued'
  | 'login-link-redeemed'
  | 'session-ended'
  | 'time-zone-set'
  | 'meetings-exported'
  | 'people-exported'
  | 'invitations-exported'
  | 'first-steps-hidden'
  | 'first-steps-shown';

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
  /** The object of the action in a few words without a secret, such as an address; null: the organization itself. */
  readonly subject: string | null;
}

/** An entry as it is listed. */
export interface AuditEntry extends NewAuditEntry {
  /** Unique within the storage. */
  readonly id: number;
  /** The user who did it; null: the actor is not a user, or the user no longer exists. */
  readonly user: NamedUser | null;
}

/** The part of a user that identifies them to other people. */
export interface NamedUser extends Person {
  /** The id of the user, the same in every organization. */
  readonly id: number;
}

/** The record of who did what in each organization. Only `PersonalData.erase` changes entries. */
export interface AuditTrail {
  /** For an action that has no transaction of its own. */
  record(entry: NewAuditEntry): Promise<void>;
  /** Newest first; of entries with the same time, the last recorded first. `total`: the number of all entries. */
  list(query: OrganizationRows): Promise<{ readonly total: number; readonly entries: readonly AuditEntry[] }>;
  /** The action of the newest entry of the organization that has one of these actions. Null if there is none. */
  lastOf(query: {
    readonly organizationId: number;
    readonly actions: readonly AuditAction[];
  }): Promise<AuditAction | null>;
}
