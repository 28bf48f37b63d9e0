import type { Deps } from '../deps.js';
import { checkPassword, type PasswordAttempt } from './check-password.js';
import { type CreatedSession, createSession } from './create-session.js';

export type SignIn = PasswordAttempt;

/** Opens a session for whoever knows the password. An unknown address and a wrong password are answered alike. */
export async function signIn(
  deps: Pick<Deps, 'users' | 'passwords' | 'limits' | 'securityLog' | 'sessions' | 'secrets' | 'clock'>,
  attempt: SignIn,
): Promise<CreatedSession> {
  return createSession(deps, { ...(await checkPassword(deps, attempt)), boundTo: null });
}
