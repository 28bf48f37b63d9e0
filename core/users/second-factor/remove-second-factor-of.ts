import { type Acting, checkActor } from '../../access/acting.js';
import type { Uses } from '../../deps.js';
import { normalizeEmail } from '../../values/email.js';
import { noSuchUser } from '../person.js';
import type { User } from '../user.js';
import { changeJournal, secondFactorNotFound } from './second-factor.js';

/** The request of `removeSecondFactorOf`. */
export interface RemoveSecondFactorOf extends Acting {
  /** The address of the user, in any case. */
  readonly email: string;
}

/**
 * Removes everything that a user has as a second factor, for someone who has lost it, and ends the sessions that their
 * password started. The password alone signs them in from then on.
 *
 * @throws `Refusal`: `user-not-found`; `second-factor-not-found` if the user has none.
 */
export async function removeSecondFactorOf(
  deps: Uses<'clock.now' | 'mailer.send' | 'secondFactors.remove' | 'users.byEmail'>,
  { email, by }: RemoveSecondFactorOf,
): Promise<User> {
  checkActor(by);
  const user = await deps.users.byEmail(normalizeEmail(email));
  if (user === null) throw noSuchUser(email);
  const removed = await deps.secondFactors.remove(
    { userId: user.id, factor: 'everything' },
    changeJournal(deps, 'second-factor-removed', { what: 'everything', by, at: deps.clock.now() }),
  );
  if (removed === null) throw secondFactorNotFound();
  return user;
}
