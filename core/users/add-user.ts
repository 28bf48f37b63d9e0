import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import { refuseAny } from '../values/problems.js';
import type { Secret } from '../values/secret.js';
import { newPasswordProblem } from './passwords/password.js';
import { checkPerson } from './person.js';
import type { Person, User } from './user.js';

/** The request of `addUser`. */
export interface AddUser extends Person {
  /** Must keep the rules of `setPassword`; null: the user cannot sign in with a password until one is set. */
  readonly password: Secret | null;
}

/**
 * Adds a user who belongs to no organization yet.
 *
 * @throws `Refusal`: `invalid-request` with every problem of the person, with a problem of the password, or if another
 * user has the address.
 */
export async function addUser(
  deps: Uses<'clock.now' | 'ids.uuid' | 'passwords.hash' | 'users.create' | typeof newPasswordProblem>,
  { password, ...request }: AddUser,
): Promise<User> {
  const person = checkPerson(request);
  if (password !== null) refuseAny([await newPasswordProblem(deps, { password, person, organizations: [] })]);

  const passwordHash = password === null ? null : await deps.passwords.hash(password);
  const fresh = { ...person, uuid: deps.ids.uuid(), passwordHash, createdAt: deps.clock.now() };
  const user = await deps.users.create(fresh);
  if (user === null)
    throw new Refusal('invalid-request', [
      { field: 'email', code: 'taken', message: `${person.email} belongs to a user already` },
    ]);
  return user;
}
