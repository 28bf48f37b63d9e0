import type { Journal } from '../../access/ports/journal.js';
import type { MemberKey } from './members.js';

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
    journal?: Journal<LoginLink>,
  ): Promise<boolean>;
  /**
   * Finds a link in any state, also an expired or redeemed one, and changes nothing; null: there is no link with this
   * hash.
   */
  find(hash: string): Promise<LoginLink | null>;
  /** Marks the link as redeemed, if it is not redeemed yet and expires after `at`. True for one caller only. */
  redeem(use: { readonly hash: string; readonly at: Date }, journal?: Journal<LoginLink>): Promise<boolean>;
}
