import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import { refuseAny } from '../values/problems.js';
import type { Secret } from '../values/secret.js';
import { passwordProblem } from './password.js';
import { checkPerson } from './person.js';
import type { Person, User } from './ports.js';

/** The request of `createUser`. */
export interface CreateUser extends Person {
  /** From 8 to 1000 characters; null: the user cannot sign in with a password until one is set. */
  readonly password: Secret | null;
}

/**
 * Adds a user who belongs to no organization yet.
 *
 * @throws `Refusal`: `invalid-request` with every problem of the person, with a problem of the password, or if another
 * user has the address.
 */
export async function createUser(
  { users, passwords, ids, clock }: Uses<'clock.now' | 'ids.uuid' | 'passwords.hash' | 'users.create'>,
  { password, ...request }: CreateUser,
): Promise<User> {
  const person = checkPerson(request);
  if (password !== null) refuseAny([passwordProblem(password)]);

  const passwordHash = password === null ? null : await passwords.hash(password);
  const user = await users.create({ ...person, uuid: ids.uuid(), passwordHash, createdAt: clock.now() });
  if (user === null)
    throw new Refusal('invalid-request', [
      { field: 'email', code: 'taken', message: `${person.email} belongs to a user already` },
    ]);
  return user;
}
