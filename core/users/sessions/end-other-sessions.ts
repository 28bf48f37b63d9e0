import type { Uses } from '../../deps.js';
import { authorizeAccount, signInRequired } from './authorize-account.js';
import { endedEntries } from './ended-entries.js';
import type { ResumeSession } from './resume-session.js';

/** The request of `endOtherSessions`. `session` is the one that stays. */
export interface EndOtherSessions extends ResumeSession {
  /** The IP address that the request comes from, for the audit trail. */
  readonly address?: string | undefined;
}

/**
 * Ends every session of a user but this one, at once, for a user who signed in with the password. The organizations whose
 * login links started some of them find that in their audit trails.
 *
 * @throws `Refusal`: `sign-in-required` without a session, `session-bound` if a login link started it.
 */
export async function endOtherSessions(
  deps: Uses<'sessions.endOthers' | typeof authorizeAccount>,
  { session, address }: EndOtherSessions,
): Promise<void> {
  const { user, hash } = await authorizeAccount(deps, { session });
  const at = deps.clock.now();
  const isDone = await deps.sessions.endOthers(hash, (ended) => endedEntries(ended, { user, address, at }));
  if (!isDone) throw signInRequired();
}
