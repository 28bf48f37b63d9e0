import type { Uses } from '../../deps.js';
import type { Secret } from '../../values/secret.js';
import { authorizeAccount } from '../sessions/authorize-account.js';
import type { ResumeSession } from '../sessions/resume-session.js';

/**
 * The secret that `beginCodes` has made, in base32, until it is confirmed; null: none waits.
 *
 * @throws `Refusal`: `sign-in-required`, `session-bound`.
 */
export async function readCodeSecret(
  deps: Uses<'secondFactors.of' | 'secrets.decrypt' | typeof authorizeAccount>,
  request: ResumeSession,
): Promise<Secret | null> {
  const { user } = await authorizeAccount(deps, request);
  const { code } = await deps.secondFactors.of(user.id);
  if (code === null || code.confirmedAt !== null) return null;
  return deps.secrets.decrypt({ encrypted: code.encryptedSecret, userId: user.id });
}
