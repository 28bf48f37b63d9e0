import type { Secret } from '../../values/secret.js';

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
