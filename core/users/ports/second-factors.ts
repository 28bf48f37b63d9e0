import type { Journal } from '../../access/ports/journal.js';
import type { User } from '../user.js';

/** A passkey of a user: a key in a device or a password manager, which proves that the user has it. */
export interface Passkey {
  /** The id by which browsers know it, in base64url. */
  readonly credentialId: string;
  /** The public key (COSE) in base64url. */
  readonly publicKey: string;
  /** How often it was used, by its own count; 0 if it does not count. */
  readonly counter: number;
  /** How browsers reach it, such as `usb` or `internal`. */
  readonly transports: readonly string[];
  /** Whether its password manager keeps a copy elsewhere. */
  readonly isBackedUp: boolean;
  /** One line, by which the user tells it apart. */
  readonly name: string;
  /** When it was added. */
  readonly createdAt: Date;
  /** When it was last used; null: never. */
  readonly usedAt: Date | null;
}

/** The secret from which an authenticator app makes codes. */
export interface CodeSecret {
  /** The secret as `Secrets.encrypt` encrypted it for this user. */
  readonly encryptedSecret: string;
  /** When the user proved to have it; null: not yet, so it proves nothing. */
  readonly confirmedAt: Date | null;
}

/** What a user can prove a sign-in with, beside the password. */
export interface StoredSecondFactor {
  /** The oldest first. */
  readonly passkeys: readonly Passkey[];
  /** Null: the user has no authenticator app. */
  readonly code: CodeSecret | null;
  /** How many recovery codes are left. Alone, they are no second factor. */
  readonly recoveryCodes: number;
}

/** A passkey, or the codes of an app, that a user adds. */
export interface AddedFactor {
  /** The user who adds it. */
  readonly userId: number;
  /** The hash of the session that adds it. */
  readonly session: string;
  /** The hashes of recovery codes, for a user who had no second factor. */
  readonly recoveryHashes: readonly string[];
  /** When it is added. */
  readonly at: Date;
}

/** Whether it was the first, or the last, one of the user. */
export interface FactorChange {
  /** The user after the change. */
  readonly user: User;
  /** Whether the user had none before, or has none now. */
  readonly isOnly: boolean;
  /** The organizations that the user belongs to, by id. */
  readonly organizationIds: readonly number[];
}

/** What to remove: one passkey, the codes of the app, or everything. */
export type RemovedFactor = { readonly credentialId: string } | 'code' | 'everything';

/** The second factors of users, and which organizations require one. */
export interface SecondFactors {
  /** What the user has; nothing, for someone who does not exist. */
  of(userId: number): Promise<StoredSecondFactor>;
  /**
   * Adds a passkey. 'registered', with nothing changed: a user has a passkey with this id. 'too-many', with nothing changed:
   * the user has `maxPasskeys`. Of several callers with one id, one succeeds.
   *
   * If it is the first second factor of the user, in the same transaction: the recovery codes replace any others, the other
   * sessions that the password started end, and the session that adds it has a second factor from then on.
   */
  addPasskey(
    fresh: AddedFactor & Omit<Passkey, 'createdAt' | 'usedAt'>,
    journal?: Journal<FactorChange>,
  ): Promise<FactorChange | 'registered' | 'too-many' | 'unknown-user'>;
  /**
   * Stores the count and the time of a use. False, with nothing changed: the user has no such passkey, it was used after
   * `askedAt`, so that no question is answered again, or `counter` is not larger than the stored count (unless both are 0: it
   * does not count). Of several callers with one count, one gets true.
   */
  usePasskey(
    use: Pick<Passkey, 'credentialId' | 'counter' | 'isBackedUp'> & {
      readonly userId: number;
      /** When the question was asked that it has answered. */
      readonly askedAt: Date;
      /** When it was answered. */
      readonly at: Date;
    },
  ): Promise<boolean>;
  /** Renames a passkey. False: the user has no such passkey. */
  namePasskey(change: Pick<Passkey, 'credentialId' | 'name'> & { readonly userId: number }): Promise<boolean>;
  /**
   * Keeps a secret that the user has not confirmed, in place of an earlier one. False, with nothing changed: the user has
   * confirmed another one, or does not exist.
   */
  setCode(secret: Pick<CodeSecret, 'encryptedSecret'> & { readonly userId: number }): Promise<boolean>;
  /**
   * Confirms this secret, and counts the code of `step` as used. Null, with nothing changed: it is not the one that waits. Of
   * several callers, one succeeds. If it is the first second factor of the user, the same follows as in `addPasskey`.
   */
  confirmCode(
    secret: AddedFactor & Pick<CodeSecret, 'encryptedSecret'> & { readonly step: number },
    journal?: Journal<FactorChange>,
  ): Promise<FactorChange | null>;
  /**
   * Counts the code of this step, a number of 30 seconds, as used. False, with nothing changed: this or a later one was used,
   * or the user has confirmed no secret. Of several callers with one step, one gets true.
   */
  useCode(use: { readonly userId: number; readonly step: number }): Promise<boolean>;
  /** Removes a recovery code with one of these hashes. Of several callers with one code, one gets true. */
  useRecoveryCode(use: { readonly userId: number; readonly hashes: readonly string[] }): Promise<boolean>;
  /** Replaces the recovery codes. False, with nothing changed: the user has no second factor. */
  setRecoveryCodes(codes: { readonly userId: number; readonly hashes: readonly string[] }): Promise<boolean>;
  /**
   * Removes it. With the last second factor, the recovery codes go, and no session of the user has one any more. With
   * 'everything', also the sessions that a password started end. An unconfirmed secret goes as well. Null, with nothing
   * changed: there is no such thing. Of several callers, one succeeds.
   */
  remove(
    which: { readonly userId: number; readonly factor: RemovedFactor },
    journal?: Journal<FactorChange>,
  ): Promise<FactorChange | null>;
  /** Whether the organization requires a second factor of its owners and admins. False, if there is none. */
  isRequired(organizationId: number): Promise<boolean>;
  /**
   * Turns the requirement on or off. What is so already makes no audit entry. 'no-second-factor', with nothing changed:
   * the user who asks has none, which the lock on the user decides.
   */
  require(
    change: { readonly organizationId: number; readonly isRequired: boolean; readonly userId: number },
    journal?: Journal<{ readonly isRequired: boolean }>,
  ): Promise<'done' | 'no-second-factor' | 'unknown-organization'>;
}
