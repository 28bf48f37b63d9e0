import type { Uses } from '../../deps.js';
import type { Secret } from '../../values/secret.js';
import { authorizeAccount } from '../sessions/authorize-account.js';
import type { ResumeSession } from '../sessions/resume-session.js';
import { newRecoveryCodes, secondFactorNotFound } from './second-factor.js';

/**
 * Gives a user ten new recovery codes. The ones before stop working.
 *
 * @throws `Refusal`: `sign-in-required`, `session-bound`; `second-factor-not-found` if the user has no second factor.
 */
export async function renewRecoveryCodes(
  deps: Uses<'secondFactors.setRecoveryCodes' | 'secrets.newRecoveryCode' | typeof authorizeAccount>,
  request: ResumeSession,
): Promise<readonly Secret[]> {
  const { user } = await authorizeAccount(deps, request);
  const { codes, hashes } = newRecoveryCodes(deps);
  if (!(await deps.secondFactors.setRecoveryCodes({ userId: user.id, hashes }))) throw secondFactorNotFound();
  return codes;
}
