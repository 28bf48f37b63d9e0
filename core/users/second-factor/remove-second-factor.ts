import type { Uses } from '../../deps.js';
import { readAddress } from '../../values/address.js';
import type { RemovedFactor } from '../ports/second-factors.js';
import { authorizeAccount } from '../sessions/authorize-account.js';
import type { ResumeSession } from '../sessions/resume-session.js';
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
  deps: Uses<'mailer.send' | 'secondFactors.remove' | typeof authorizeAccount>,
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
