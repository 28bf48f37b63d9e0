import type { User } from '../user.js';
import type { NewMail } from './mails.js';

/** A link with which one user can set a new password, once. It is stored under the hash of its token. */
export interface PasswordReset {
  /** The user whose password it sets, as they are now. */
  readonly user: User;
  /** From this time on the link cannot be used. */
  readonly expiresAt: Date;
}

/** Links to set a new password. They end with the next password or address of their user. */
export interface PasswordResets {
  /** Stores a link for the user who has this normalized address. Null, with nothing stored: nobody has it. */
  store(reset: {
    readonly hash: string;
    readonly email: string;
    readonly createdAt: Date;
    readonly expiresAt: Date;
  }): Promise<User | null>;
  /** Finds a link, also an expired one, and changes nothing; null: there is none with this hash. */
  find(hash: string): Promise<PasswordReset | null>;
  /**
   * If the link expires after `at`: sets the password of its user, ends every session and password reset of the user and
   * adds the mails, in one transaction. True for one caller only, also of several with different links of one user.
   */
  redeem(use: {
    readonly hash: string;
    readonly at: Date;
    readonly passwordHash: string;
    readonly mails: readonly NewMail[];
  }): Promise<boolean>;
}
