import type { Uses } from '../../deps.js';
import { authorizeAccount } from '../sessions/authorize-account.js';
import type { ResumeSession } from '../sessions/resume-session.js';
import { type AskedPasskey, askPasskey } from './ask-passkey.js';

/**
 * Asks the browser of a user who signed in with the password for a new passkey. Null: the service checks none.
 *
 * @throws `Refusal`: `sign-in-required` without a session, `session-bound` if the password did not start it.
 */
export async function beginPasskey(
  deps: Uses<'passkeyVerifier.options' | 'secondFactors.of' | typeof authorizeAccount>,
  request: ResumeSession,
): Promise<AskedPasskey | null> {
  const { user } = await authorizeAccount(deps, request);
  const { passkeys } = await deps.secondFactors.of(user.id);
  return askPasskey(deps, { user, to: 'make', passkeys });
}
