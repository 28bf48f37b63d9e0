/** Where something comes from. */
interface FromAddress {
  /** The IP address of the person or the program, without a port; null: the input is not an IP address. */
  readonly address: string | null;
}

/** A person who has signed in. */
export interface SignedIn extends FromAddress {
  /** What happened. */
  readonly kind: 'signed-in';
  /** The id of the user, the same in every organization. */
  readonly userId: number;
  /** How: with the password, a login link, sign-on or a set-up link, or by accepting an invitation. */
  readonly by: 'password' | 'login-link' | 'sign-on' | 'setup-link' | 'invitation';
}

/** A failed or refused attempt to sign in or authenticate. Never contains the password or key that was tried. */
export interface FailedAttempt extends FromAddress {
  /**
   * `failed`: the password, the second factor, the access key, or the token of a directory or the operator was wrong. `refused`: not checked, after too many
   * failures.
   */
  readonly kind:
    | 'sign-in-failed'
    | 'sign-in-refused'
    | 'authenticate-failed'
    | 'authenticate-refused'
    | 'directory-failed'
    | 'directory-refused'
    | 'operator-failed';
  /**
   * The e-mail address of the attempt, at most 254 characters without spaces and control characters. Null: the attempt
   * used an access key or a token, or the input is not an e-mail address and may be a password in the wrong
   * field.
   */
  readonly account: string | null;
  /** What was tried after the password; left out: nothing. */
  readonly factor?: UsedFactor | undefined;
}

/** What proves a sign-in beside the password. */
export type UsedFactor = 'passkey' | 'code' | 'recovery-code';

/** A second factor that was right, at a sign-in or before a change. */
export interface UsedSecondFactor extends FromAddress, Pick<SignedIn, 'userId'> {
  /** What happened. */
  readonly kind: 'second-factor-used';
  /** What it was. */
  readonly factor: UsedFactor;
}

/** A sign-on that has failed, or a person who was identified and not admitted. */
export interface FailedSignOn extends FromAddress {
  /** What happened. */
  readonly kind: 'sign-on-failed';
  /** The organization whose sign-on it was. */
  readonly organizationId: number;
  /** How it ended: as in `ProviderFailure`, or `not-admitted` for a person who was identified. */
  readonly outcome: 'unreachable' | 'refused' | 'not-asked' | 'invalid' | 'not-admitted';
  /** In a sentence, without a secret, a token or an address. */
  readonly reason: string;
}

/** What the security log is told. */
export type SecurityEvent = SignedIn | UsedSecondFactor | FailedAttempt | FailedSignOn;

/** Receives each sign-in and the failed and refused attempts, for the operator. */
export interface SecurityLog {
  /** The caller does not wait. Must not throw. */
  record(event: SecurityEvent): void;
}
