import type { Journal } from '../../access/ports/journal.js';
import type { MemberKey } from './members.js';

/**
 * A link with which an owner lets the organization's IT staff set up sign-on and the directory. It is stored under the hash
 * of its token. The user is the owner who made it.
 */
export interface SetupLink extends MemberKey {
  /** The hash under which it is stored. */
  readonly hash: string;
  /** When it was made, by the core's clock. */
  readonly createdAt: Date;
  /** From this time on it opens nothing. */
  readonly expiresAt: Date;
  /** When it was last opened; null: never. */
  readonly openedAt: Date | null;
}

/** Set-up links, at most one for each organization. */
export interface SetupLinks {
  /**
   * Stores the organization's only link. The one before ends, with the sessions that it has started. False, with nothing
   * changed: the user is not an owner. The link goes with the membership, and with the role. However many callers there are at once, one link
   * is left.
   */
  store(link: Omit<SetupLink, 'openedAt'>, journal?: Journal<SetupLink>): Promise<boolean>;
  /** The link of the organization, also an expired one; null: there is none. */
  of(organizationId: number): Promise<SetupLink | null>;
  /** Finds a link in any state; null: there is none with this hash. */
  byHash(hash: string): Promise<SetupLink | null>;
  /** Sets `openedAt`, however often, if the link expires after `at`. False, with nothing changed: it has ended. */
  open(use: { readonly hash: string; readonly at: Date }, journal?: Journal<SetupLink>): Promise<boolean>;
  /** Ends the link, with the sessions that it has started. Of several callers, one gets true; false: there was none. */
  end(organizationId: number, journal?: Journal<SetupLink>): Promise<boolean>;
}
