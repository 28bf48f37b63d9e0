import type { Problem } from '../../values/problem.js';
import type { Secret } from '../../values/secret.js';
import type { User } from '../user.js';
import { checkPasswordOf } from './check-password.js';

/** The request of `confirmPassword`. */
export interface ConfirmPassword {
  /** The user of the session. */
  readonly user: Pick<User, 'id' | 'email'>;
  /** The password of the account, as received. */
  readonly password: Secret;
  /** The IP address of the caller; wrong passwords are counted for it and for the account, as in `signIn`. */
  readonly address: string;
}

/**
 * Checks the password of someone who is signed in, before a change that a lost session must not make. Starts no session.
 *
 * @throws `Refusal`: `wrong-credentials`, also for an account without a password; `too-many-requests` after too many wrong
 * ones.
 */
export async function confirmPassword(
  deps: Parameters<typeof checkPasswordOf>[0],
  { user, password, address }: ConfirmPassword,
): Promise<void> {
  return checkPasswordOf(deps, user, { password, address, wrongReason: WRONG });
}

const WRONG: readonly Problem[] = [{ field: 'currentPassword', code: 'wrong', message: 'is wrong' }];
