import type { BuildAuditEntries } from '../../access/ports/audit-trail.js';
import type { NewMail } from './mails.js';
import type { NewSession } from './sessions.js';

/** The address and the name of a person. */
export interface Person {
  /**
   * In a request, any address that `emailProblem` accepts. In a result, as it is stored: without spaces around it, in
   * lower case and in NFC.
   */
  readonly email: string;
  /** One line of at most 300 characters. */
  readonly firstName: string;
  /** One line of at most 300 characters. */
  readonly lastName: string;
}

/** A person with an account. One user can be a member of several organizations. */
export interface User extends Person {
  /** A whole number from 1 to 2^53 - 1, the same in every organization. */
  readonly id: number;
  /** The user's own UUID. An organization may know the user under another one, see `Member.uuid`. */
  readonly uuid: string;
  /** URL of a picture, or null. */
  readonly avatar: string | null;
  /** When the user was added, by registration, by the operator or by an import. */
  readonly createdAt: Date;
}

/** A user to be added. The storage chooses the `id`. */
export interface NewUser extends Person {
  /** A random UUID in lower case. */
  readonly uuid: string;
  /** What `Passwords.hash` returned; null: the user has no password and cannot sign in with one. */
  readonly passwordHash: string | null;
  /** When the user is added, by the core's clock. */
  readonly createdAt: Date;
}

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
   * session instead and adds the mails, in one transaction. False, with nothing changed: the hash is no longer `from`.
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
    buildEntries?: BuildAuditEntries<{ readonly user: User; readonly organizationIds: readonly number[] }>,
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
    buildEntries?: BuildAuditEntries<{
      readonly user: User;
      readonly before: User;
      readonly organizationIds: readonly number[];
    }>,
  ): Promise<User | 'not-found' | 'in-other-organization'>;
  /** Null: another user has the address. */
  create(user: NewUser): Promise<User | null>;
}
