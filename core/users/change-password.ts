import { sessionBound } from '../access/authorize-member.js';
import type { Deps } from '../deps.js';
import { Refusal } from '../errors.js';
import { refuseAny } from '../values/problems.js';
import type { Secret } from '../values/secret.js';
import { checkPassword } from './check-password.js';
import type { CreatedSession } from './create-session.js';
import { passwordProblem } from './password.js';
import { resumeSession } from './resume-session.js';
import { wrongCredentials } from './wrong-credentials.js';

export interface ChangePassword {
  /** What the cookie held, or null where there is none. */
  readonly session: string | null;
  readonly currentPassword: Secret;
  readonly newPassword: Secret;
  /** Where the attempt comes from; wrong passwords are counted for it and for the account, as when signing in. */
  readonly address: string;
}

/**
 * Changes the password of whoever is signed in with one and knows it (decision 32). Every session of the user
 * ends, and a new one takes the place of the caller's. One that a link opened may not (decision 19).
 */
export async function changePassword(
  deps: Pick<Deps, 'users' | 'passwords' | 'limits' | 'securityLog' | 'sessions' | 'secrets' | 'clock'>,
  { session, currentPassword, newPassword, address }: ChangePassword,
): Promise<CreatedSession> {
  const resumed = await resumeSession(deps, { session });
  if (resumed === null) throw new Refusal('sign-in-required', 'Sign in first');
  if (resumed.boundTo !== null) throw sessionBound();
  refuseAny([passwordProblem(newPassword, 'new_password')]);

  const { email } = resumed.user;
  const attempt = { email, password: currentPassword, address, otherwise: WRONG };
  const { user, passwordHash: from } = await checkPassword(deps, attempt);

  const to = await deps.passwords.hash(newPassword);
  const { token, hash } = deps.secrets.newToken('session');
  const fresh = { hash, userId: user.id, boundTo: null, createdAt: deps.clock.now() };
  const replaced = await deps.users.replacePasswordHash({ from, to, session: fresh });
  if (!replaced) throw wrongCredentials(WRONG);
  return { session: token, user, boundTo: null };
}

const WRONG = 'current_password is wrong';
