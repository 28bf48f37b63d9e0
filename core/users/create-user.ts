import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import { refuseAny } from '../values/problems.js';
import type { Secret } from '../values/secret.js';
import { passwordProblem } from './password.js';
import { checkPerson, type Person } from './person.js';
import type { User } from './ports.js';

export interface CreateUser extends Person {
  /** Null: the user cannot sign in with a password until one is set. */
  readonly password: Secret | null;
}

/** Adds a user who belongs to no organization yet. */
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
