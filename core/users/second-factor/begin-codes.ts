import type { Uses } from '../../deps.js';
import { authorizeAccount } from '../sessions/authorize-account.js';
import type { ResumeSession } from '../sessions/resume-session.js';
import { secondFactorNotFound } from './second-factor.js';

/**
 * Makes a secret for the authenticator app of a user who signed in with the password, in place of one that was not
 * confirmed.
 *
 * @throws `Refusal`: `sign-in-required`, `session-bound`; `second-factor-not-found` if the user has confirmed an app.
 */
export async function beginCodes(
  deps: Uses<'secondFactors.setCode' | 'secrets.encrypt' | 'secrets.newCodeSecret' | typeof authorizeAccount>,
  request: ResumeSession,
): Promise<void> {
  const { user } = await authorizeAccount(deps, request);
  const secret = deps.secrets.newCodeSecret();
  const encryptedSecret = deps.secrets.encrypt({ secret, userId: user.id });
  if (!(await deps.secondFactors.setCode({ userId: user.id, encryptedSecret }))) throw secondFactorNotFound();
}
