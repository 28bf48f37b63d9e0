import type { Uses } from '../../deps.js';
import { checkPassword, type SignIn } from './check-password.js';
import { type CreatedSession, createSession } from './create-session.js';
import { recordSignedIn } from './record-signed-in.js';

/**
 * Starts a session for a user who knows the password. An unknown address and a wrong password get the same answer.
 *
 * @throws `Refusal`: `wrong-credentials`; `too-many-requests` after too many wrong passwords for the account or from
 * the network.
 */
export async function signIn(
  deps: Uses<
    | 'clock.now'
    | 'limits.consume'
    | 'limits.forgive'
    | 'limits.waitFor'
    | 'passwords.verify'
    | 'secrets.newToken'
    | 'securityLog.record'
    | 'sessions.create'
    | 'users.byEmail'
    | 'users.passwordHash'
  >,
  attempt: SignIn,
): Promise<CreatedSession> {
  const { device, address } = attempt;
  const checked = await checkPassword(deps, attempt);
  const created = await createSession(deps, { ...checked, boundTo: null, device });
  return recordSignedIn(deps, created, { by: 'password', address });
}
