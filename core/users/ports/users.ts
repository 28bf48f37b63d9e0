import type { Journal } from '../../access/ports/journal.js';
import type { NewUser, Person, User } from '../user.js';
import type { NewMail } from './mails.js';
import type { NewSession } from './sessions.js';

/** Users, with their addresses and passwords. */
export interface Users {
  /** Finds a user by the normalized address (see `normalizeEmail`); null: nobody has it. */
  byEmail(email: string): Promise<User | null>;
  /** The stored hash, or null if the user has no password. */
  passwordHash(userId: number): Promise<string | null>;
  /**
   * Changes the hash and ends every session and password reset of the user, in one transaction; false: there is no such
   * user.
   */
  setPasswordHash(change: { readonly userId: number; readonly hash: string }): Promise<boolean>;
  /**
   * If the hash is still `from`: changes it to `to`, ends every session and password reset of the user, stores this
   * session instead and adds the mails, in one transaction. False, with nothing changed: the hash is no longer `from`, or
   * `hasSecondFactor` of the session is not what the user has.
   */
  replacePasswordHash(change: {
    readonly from: string;
    readonly to: string;
    readonly session: NewSession;
    readonly mails?: readonly NewMail[] | undefined;
  }): Promise<boolean>;
  /**
   * Changes the address of the user who has `from` and ends every session and password reset of that user, in one
   * transaction. Of several callers that ask for the same address, one gets it.
   */
  setEmail(
    change: { readonly from: string; readonly to: string },
    journal?: Journal<{ readonly user: User; readonly organizationIds: readonly number[] }>,
  ): Promise<User | 'not-a-user' | 'email-taken'>;
  /**
   * Changes the name. In the meetings that the user leads, a `host` that is nothing but the earlier name becomes the same
   * form of the new one (see `renamedHosts`), which is a change of those meetings. `onlyOf`, the id of an organization:
   * 'not-found' unless the user is its member, and 'in-other-organization' if the user is a member of another one or
   * leads a meeting that is not its own. The name that the user already has is not a change and makes no audit entry.
   */
  setName(
    change: Pick<Person, 'firstName' | 'lastName'> & {
      readonly userId: number;
      readonly onlyOf?: number | undefined;
    },
    journal?: Journal<{
      readonly user: User;
      readonly before: User;
      readonly organizationIds: readonly number[];
    }>,
  ): Promise<User | 'not-found' | 'in-other-organization'>;
  /** Null: another user has the address. */
  create(user: NewUser): Promise<User | null>;
}
