import type { Uses } from '../../deps.js';
import { requireSecondStep } from '../second-factor/second-step.js';
import { checkPassword, type SignIn } from './check-password.js';
import { type CreatedSession, createSession } from './create-session.js';
import { recordSignedIn } from './record-signed-in.js';

/**
 * Starts a session for a user who knows the password. For one with a second factor, `passSecondStep` starts it. An unknown address and a wrong password get the same answer.
 *
 * @throws `Refusal`: `second-step-required` (a `SecondStepRequired`) if the password is right and the user has a second
 * factor; `wrong-credentials`; `too-many-requests` after too many wrong passwords for the account or from
 * the network.
 */
export async function signIn(
  deps: Uses<typeof checkPassword | typeof createSession | typeof requireSecondStep>,
  attempt: SignIn,
): Promise<CreatedSession> {
  const { device, address } = attempt;
  const checked = await checkPassword(deps, attempt);
  await requireSecondStep(deps, { ...checked, by: 'password' });
  const created = await createSession(deps, { ...checked, boundTo: null, device });
  return recordSignedIn(deps, created, { by: 'password', address });
}
