import type { Uses } from '../../deps.js';
import type { Secret } from '../../values/secret.js';
import { checkPasswordOf } from '../sessions/check-password.js';
import type { User } from '../user.js';
import { checkSecondFactor, type SecondFactorProof } from './check-second-factor.js';
import { hasSecondFactor, wrongSecondFactor } from './second-factor.js';

/** The request of `confirmIdentity`. */
export interface ConfirmIdentity {
  /** The user of the session. */
  readonly user: Pick<User, 'id' | 'email'>;
  /** The second factor, or the password of someone who has none. */
  readonly proof: SecondFactorProof | { readonly password: Secret };
  /** The IP address of the caller; what is wrong is counted for it and for the account, as in `signIn`. */
  readonly address: string;
}

/**
 * Checks who someone is who is signed in, before a change that a lost session must not make: by the second factor, or the
 * password if they have none. Starts no session.
 *
 * @throws `Refusal`: `wrong-credentials`, also for an account without a password; `wrong-second-factor`, also for a
 * password of someone who has a second factor; `too-many-requests` after too many wrong ones.
 */
export async function confirmIdentity(
  deps: Uses<'secondFactors.of' | typeof checkPasswordOf | typeof checkSecondFactor>,
  { user, proof, address }: ConfirmIdentity,
): Promise<void> {
  if (!('password' in proof)) return checkSecondFactor(deps, { user, proof, address });
  // Added in another tab, after the form was opened.
  if (hasSecondFactor(await deps.secondFactors.of(user.id))) throw wrongSecondFactor();
  const wrongReason = [{ field: 'currentPassword', code: 'wrong', message: 'is wrong' }] as const;
  return checkPasswordOf(deps, user, { password: proof.password, address, wrongReason });
}
