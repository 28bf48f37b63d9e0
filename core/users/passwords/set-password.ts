import type { Uses } from '../../deps.js';
import { emailProblem, normalizeEmail } from '../../values/email.js';
import { refuseAny } from '../../values/problems.js';
import type { Secret } from '../../values/secret.js';
import { noSuchUser } from '../person.js';
import { forgetFailures } from '../sessions/check-password.js';
import type { User } from '../user.js';
import { newPasswordProblem, passwordLengthProblem } from './password.js';

/** The request of `setPassword`. */
export interface SetPassword {
  /** The address of the user, in any case. */
  readonly email: string;
  /**
   * From 8 to 1000 characters, not a common one, and with 8 letters or digits, not counting the names of the person, their
   * organizations and the service.
   */
  readonly password: Secret;
}

/**
 * Sets the password of a user who forgot it, and ends their sessions. It can be used at once, however many wrong
 * passwords there were before.
 *
 * @throws `Refusal`: `invalid-request` with every problem, `user-not-found`.
 */
export async function setPassword(
  deps: Uses<
    | 'limits.clear'
    | 'members.ofUser'
    | 'passwords.hash'
    | 'users.byEmail'
    | 'users.setPasswordHash'
    | typeof newPasswordProblem
  >,
  { email, password }: SetPassword,
): Promise<User> {
  refuseAny([emailProblem('email', email), passwordLengthProblem(password)]);
  const user = await deps.users.byEmail(normalizeEmail(email));
  if (user === null) throw noSuchUser(email);
  const memberships = await deps.members.ofUser(user.id);
  const organizations = memberships.map(({ organization }) => organization);
  refuseAny([await newPasswordProblem(deps, { password, person: user, organizations })]);
  const hash = await deps.passwords.hash(password);
  await forgetFailures(deps, user);
  await deps.users.setPasswordHash({ userId: user.id, hash });
  return user;
}
