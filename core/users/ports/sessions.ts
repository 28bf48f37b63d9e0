import type { Journal } from '../../access/ports/journal.js';
import type { User } from '../user.js';

/**
 * How a session began: with the password, with a login link of an organization, at its identity provider, or with its set-up
 * link.
 */
export type StartedBy = 'password' | 'login-link' | 'sign-on' | 'setup-link';

/** A signed-in user in one browser. */
export interface Session {
  /** The user as they are now, not as they were when the session began. Of a set-up link, the owner who made it. */
  readonly user: User;
  /**
   * The organization that the session is limited to, and if a login link started it, to its member pages; null: no limit.
   */
  readonly boundTo: number | null;
  /** How the session began. */
  readonly startedBy: StartedBy;
  /** Whether the user has proved a second factor, when signing in or by adding it. */
  readonly hasSecondFactor: boolean;
  /** When the user signed in; the session ends `sessionLifetimeMs` later, or `setupSessionMs` if a set-up link started it. */
  readonly createdAt: Date;
  /** The last request, to the minute; the session ends `sessionIdleTimeMs` later. */
  readonly seenAt: Date;
  /** The browser and the system that the user signed in with, such as `Firefox on Android`; null: not known. */
  readonly device: string | null;
}

/** A session with the hash under which it is stored. */
export interface StoredSession extends Omit<Session, 'user'> {
  /** The hash of the cookie's value, which itself is not stored. */
  readonly hash: string;
}

/** A session to be stored. Its `createdAt` is also the first `seenAt`. */
export interface NewSession extends Pick<StoredSession, 'hash' | 'boundTo' | 'createdAt'> {
  /** The user who signed in. */
  readonly userId: number;
  /** How the session began. Left out: with a login link if it is limited to an organization, otherwise the password. */
  readonly startedBy?: StartedBy | undefined;
  /** The session at the identity provider, by which `endSignedOn` finds it, or the hash of the set-up link. Left out: none. */
  readonly sid?: string | null | undefined;
  /** As in `Session`. Left out: not. */
  readonly hasSecondFactor?: boolean | undefined;
  /** The browser and the system, as `readDevice` returned them. Left out: not known. */
  readonly device?: string | null | undefined;
}

/** A session to be stored, with the password that was verified for it. */
export interface VerifiedSession extends NewSession {
  /** The hash of the password that was verified; null: the session starts without a password. */
  readonly passwordHash: string | null;
}

/** Sessions of signed-in users, stored under the hashes of their cookies. */
export interface Sessions {
  /**
   * False, with nothing stored: the user's password has changed since it was verified, there is no such user (the person
   * was erased, for example), or the session is bound to an organization that the user is not a member of. With `startedBy`
   * `sign-on` also: sign-on is off there, or the user has no identity of its issuer. With `setup-link` also: the user has no
   * such link there. With a password also:
   * `hasSecondFactor` is not what the user has.
   *
   * In any order of callers: once `setPasswordHash` or `replacePasswordHash` has returned, no session that the old
   * password started is left; once a member has been removed, no session bound to that organization is left of them; once
   * sign-on was turned off or a member unlinked, no session that sign-on started is left; once a set-up link has ended, none of
   * its sessions.
   *
   * Of the user's sessions, `maxSessions` are kept, however they are created, and as many of those that set-up links
   * started: those that were used longest ago end, without an audit entry. What is created at the same time may go beyond it, until the next one is created.
   */
  create(session: VerifiedSession): Promise<boolean>;
  /** When a session of the user last began with a password, whether it has ended or not; null: never. */
  lastSignIn(userId: number): Promise<Date | null>;
  /** Finds a session that has not been ended, even if it is too old: the core checks its age. Null: there is none. */
  find(hash: string): Promise<Session | null>;
  /** Moves `seenAt` forward. Never brings an ended session back. */
  touch(use: { readonly hash: string; readonly at: Date }): Promise<void>;
  /**
   * The sessions of the user that began after `createdAfter` and were used after `seenAfter`, at most `limit`: those that
   * were used last, the last one first.
   */
  ofUser(query: {
    readonly userId: number;
    readonly createdAfter: Date;
    readonly seenAfter: Date;
    readonly limit: number;
  }): Promise<readonly StoredSession[]>;
  /** After that, `find` returns null on every instance. Of several callers, one gets true; false: it had ended before. */
  end(hash: string, journal?: Journal<StoredSession>): Promise<boolean>;
  /**
   * Ends every other session of the user who has this one, in one transaction. False, with nothing changed: this one has
   * ended. If several sessions of a user end the others at once, one of them is left.
   */
  endOthers(hash: string, journal?: Journal<readonly StoredSession[]>): Promise<boolean>;
  /**
   * Ends the sessions that sign-on started in the organization: those of this session at the provider and of this user,
   * as far as each is given. With neither, none ends.
   */
  endSignedOn(which: {
    readonly organizationId: number;
    readonly sid: string | null;
    readonly userId: number | null;
  }): Promise<void>;
  /**
   * Ends every session of the user, in one transaction; `userId` null: of all users. `onlyOf`, the id of an organization:
   * if the user is also a member of another one, only those that are bound to it. After that, `find` returns null for
   * each of them, on every instance. Of several callers at once, one ends each session.
   */
  endAll(
    whose: { readonly userId: number | null; readonly onlyOf?: number | undefined },
    journal?: Journal<readonly (Session & Pick<StoredSession, 'hash'>)[]>,
  ): Promise<void>;
}
