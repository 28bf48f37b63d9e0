import type { Journal } from '../../access/ports/journal.js';
import type { MemberKey } from './members.js';

/** Names a person at an organization's identity provider. Both texts are compared exactly. */
export interface IdentityKey {
  /** The organization whose provider it is. */
  readonly organizationId: number;
  /** The issuer of the provider. */
  readonly issuer: string;
  /** The subject (`sub`) under which the issuer knows the person. */
  readonly subject: string;
}

/** The member who a person at the identity provider is. It ends with the membership. */
export interface Identity extends IdentityKey, MemberKey {
  /** When the person was recognized as this member. */
  readonly linkedAt: Date;
  /** When the person last signed on. */
  readonly usedAt: Date;
}

/** Why an identity was not linked. Nothing was changed. */
export type NotLinked =
  /** The organization has no sign-on that is on with this issuer. */
  | 'sign-on-off'
  | 'not-a-member'
  /** The member has another identity. */
  | 'member-linked'
  /** The identity is that of another member. */
  | 'subject-linked';

/** Who the people of identity providers are: at most one identity for each member of an organization. */
export interface Identities {
  /** Finds an identity; null: the person is not known. */
  bySubject(key: IdentityKey): Promise<Identity | null>;
  /** The identity of the member; null: there is none. */
  of(member: MemberKey): Promise<Identity | null>;
  /**
   * Links a person to a member. Of several callers that link one person to different members, or one member to different
   * people, one succeeds. An identity that is linked to the member already is returned as it is and makes no audit entry.
   * Of a link and a change of the issuer at once, whichever comes first, no identity of the earlier issuer is left.
   */
  link(identity: Omit<Identity, 'usedAt'>, journal?: Journal<Identity>): Promise<Identity | NotLinked>;
  /** Moves `usedAt` forward. Never brings an ended identity back. */
  touch(use: IdentityKey & { readonly at: Date }): Promise<void>;
  /**
   * Ends the identity of the member and the sessions that sign-on started for them in the organization, in one transaction.
   * Of several callers, one gets true; false: there was none.
   */
  unlink(member: MemberKey, journal?: Journal<Identity>): Promise<boolean>;
}
