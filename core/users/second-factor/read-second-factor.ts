import type { Uses } from '../../deps.js';
import type { Passkey } from '../ports/second-factors.js';
import { authorizeAccount } from '../sessions/authorize-account.js';
import type { ResumeSession } from '../sessions/resume-session.js';

/** The second factor of a user as the user sees it. */
export interface SecondFactorView {
  /** The oldest first. */
  readonly passkeys: readonly Omit<Passkey, 'publicKey' | 'counter'>[];
  /** When the app that makes codes was confirmed; null: there is none. */
  readonly codesSince: Date | null;
  /** How many recovery codes are left. */
  readonly recoveryCodes: number;
  /** Whether the service can check passkeys. */
  readonly takesPasskeys: boolean;
}

/**
 * What a user who signed in with the password has as a second factor.
 *
 * @throws `Refusal`: `sign-in-required` without a session, `session-bound` if the password did not start it.
 */
export async function readSecondFactor(
  deps: Uses<'passkeyVerifier.options' | 'secondFactors.of' | typeof authorizeAccount>,
  request: ResumeSession,
): Promise<SecondFactorView> {
  const { user } = await authorizeAccount(deps, request);
  const { passkeys, code, recoveryCodes } = await deps.secondFactors.of(user.id);
  return {
    passkeys: passkeys.map(({ publicKey, counter, ...passkey }) => passkey),
    codesSince: code?.confirmedAt ?? null,
    recoveryCodes,
    takesPasskeys: deps.passkeyVerifier !== undefined,
  };
}
