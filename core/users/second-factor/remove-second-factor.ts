import { type Acting, checkActor } from '../../access/acting.js';
import type { Uses } from '../../deps.js';
import { readAddress } from '../../values/address.js';
import { normalizeEmail } from '../../values/email.js';
import { noSuchUser } from '../person.js';
import type { RemovedFactor } from '../ports/second-factors.js';
import { authorizeAccount } from '../sessions/authorize-account.js';
import type { ResumeSession } from '../sessions/resume-session.js';
import type { User } from '../user.js';
import { changeJournal, secondFactorNotFound } from './second-factor.js';

/** The request of `removeSecondFactor`. */
export interface RemoveSecondFactor extends ResumeSession {
  /** What to remove. */
  readonly factor: Exclude<RemovedFactor, 'everything'>;
  /** The IP address of the caller, for the audit trail. */
  readonly address: string;
}

/**
 * Removes a passkey or the app of a user who signed in with the password. The recovery codes go with the last one.
 *
 * @throws `Refusal`: `sign-in-required`, `session-bound`; `second-factor-not-found`.
 */
export async function removeSecondFactor(
  deps: Parameters<typeof authorizeAccount>[0] & Uses<'mailer.send' | 'secondFactors.remove'>,
  { session, factor, address }: RemoveSecondFactor,
): Promise<void> {
  const { user } = await authorizeAccount(deps, { session });
  const at = deps.clock.now();
  const by = { who: { kind: 'user', userId: user.id }, from: readAddress(address) } as const;
  const what = factor === 'code' ? 'authenticator app' : 'passkey';
  const removed = await deps.secondFactors.remove(
    { userId: user.id, factor },
    changeJournal(deps, 'second-factor-removed', { what, by, at }),
  );
  if (removed === null) throw secondFactorNotFound();
}

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
