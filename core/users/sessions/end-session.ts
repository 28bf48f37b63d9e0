import type { Uses } from '../../deps.js';
import { refusal } from '../../errors.js';
import { checkText } from '../../values/ids.js';
import { authorizeAccount } from './authorize-account.js';
import type { EndOtherSessions } from './end-other-sessions.js';
import { endedEntries } from './ended-entries.js';
import { workingSessions } from './working-sessions.js';

/** The request of `endSession`. `session` is that of the user who asks. */
export interface EndSession extends EndOtherSessions {
  /** The id of the session to end, from `listSessions`. */
  readonly id: string;
}

/**
 * Ends a session of a user at once, on every instance, for a user who signed in with the password. The organization whose
 * login link started it finds that in its audit trail.
 *
 * @throws `Refusal`: `sign-in-required` without a session, `session-bound` if a login link started it;
 * `session-not-found` if the user has no such session, or it has ended.
 */
export async function endSession(
  deps: Uses<'secrets.sessionId' | 'sessions.end' | 'sessions.ofUser' | typeof authorizeAccount>,
  { session, id, address }: EndSession,
): Promise<void> {
  checkText('id', id);
  const { user } = await authorizeAccount(deps, { session });
  const sessions = await workingSessions(deps, { userId: user.id });
  const found = sessions.find(({ hash }) => deps.secrets.sessionId(hash) === id);
  if (found === undefined) throw sessionNotFound();
  const at = deps.clock.now();
  const isEnded = await deps.sessions.end(found.hash, (ended) =>
    endedEntries([ended], { user, address, at }),
  );
  if (!isEnded) throw sessionNotFound();
}

const sessionNotFound = refusal('session-not-found', 'The session has ended or does not exist');
