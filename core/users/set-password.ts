import type { Uses } from '../deps.js';
import { emailProblem, normalizeEmail } from '../values/email.js';
import { refuseAny } from '../values/problems.js';
import type { Secret } from '../values/secret.js';
import { passwordProblem } from './password.js';
import { noSuchUser } from './person.js';
import type { User } from './ports.js';

/** The request of `setPassword`. */
export interface SetPassword {
  /** The address of the user, in any case. */
  readonly email: string;
  /** From 8 to 1000 characters. */
  readonly password: Secret;
}

/**
 * Sets the password of a user who forgot it, and ends their sessions.
 *
 * @throws `Refusal`: `invalid-request` with every problem, `user-not-found`.
 */
export async function setPassword(
  { users, passwords }: Uses<'passwords.hash' | 'users.byEmail' | 'users.setPasswordHash'>,
  { email, password }: SetPassword,
): Promise<User> {
  refuseAny([emailProblem('email', email), passwordProblem(password)]);
  const user = await users.byEmail(normalizeEmail(email));
  if (user === null) throw noSuchUser(email);
  await users.setPasswordHash({ userId: user.id, hash: await passwords.hash(password) });
  return user;
}
