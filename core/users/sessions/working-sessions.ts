import type { Uses } from '../../deps.js';
import type { StoredSession } from '../ports/sessions.js';
import { maxListedSessions, sessionEndsInMs, sessionIdleTimeMs, sessionLifetimeMs } from './session.js';

/** The sessions of the user that still work, the last used first: the user's own and one more than are listed. */
export async function workingSessions(
  { sessions, clock }: Uses<'clock.now' | 'sessions.ofUser'>,
  { userId }: { readonly userId: number },
): Promise<readonly StoredSession[]> {
  const at = clock.now();
  const now = at.getTime();
  const found = await sessions.ofUser({
    userId,
    createdAfter: new Date(now - sessionLifetimeMs),
    seenAfter: new Date(now - sessionIdleTimeMs),
    limit: maxListedSessions + 2,
  });
  return found.filter((session) => sessionEndsInMs(session, at) > 0);
}
