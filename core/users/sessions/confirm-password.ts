import type { Uses } from '../../deps.js';
import type { Problem } from '../../values/problem.js';
import type { Secret } from '../../values/secret.js';
import type { User } from '../user.js';
import { checkPassword } from './check-password.js';
import { wrongCredentials } from './wrong-credentials.js';

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
  deps: Uses<
    | 'limits.consume'
    | 'limits.forgive'
    | 'limits.waitFor'
    | 'passwords.verify'
    | 'securityLog.record'
    | 'users.byEmail'
    | 'users.passwordHash'
  >,
  { user: { id, email }, password, address }: ConfirmPassword,
): Promise<void> {
  const { user } = await checkPassword(deps, { email, password, address, wrongReason: WRONG });
  if (user.id !== id) throw wrongCredentials(WRONG);
}

const WRONG: readonly Problem[] = [{ field: 'currentPassword', code: 'wrong', message: 'is wrong' }];
