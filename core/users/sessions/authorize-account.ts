import { sessionBound } from '../../access/password-sign-in-required.js';
import type { Uses } from '../../deps.js';
import { refusal } from '../../errors.js';
import { type ResumedSession, type ResumeSession, resumeSession } from './resume-session.js';

/** A session that may read and change its user's account. */
export interface AccountSession extends ResumedSession {
  /** The hash under which the session is stored. */
  readonly hash: string;
}

/**
 * Resumes a session that may read and change its user's account.
 *
 * @throws `Refusal`: `sign-in-required` without a session, `session-bound` if a login link started it.
 */
export async function authorizeAccount(
  deps: Uses<'secrets.tokenHash' | typeof resumeSession>,
  { session }: ResumeSession,
): Promise<AccountSession> {
  const hash = session === null ? null : deps.secrets.tokenHash('session', session);
  const resumed = await resumeSession(deps, { session });
  if (hash === null || resumed === null) throw signInRequired();
  if (resumed.boundTo !== null) throw sessionBound(resumed.startedBy);
  return { ...resumed, hash };
}

export const signInRequired = refusal('sign-in-required', 'Sign in first');
