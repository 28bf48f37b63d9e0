import type { NewSession } from '../../users/ports/sessions.js';
import type { StoredSessionState } from './state.js';

/** A session as it begins. */
export function newSession({
  userId,
  boundTo,
  createdAt,
  device = null,
  sid = null,
  hasSecondFactor = false,
  startedBy = boundTo === null ? 'password' : 'login-link',
}: NewSession): StoredSessionState {
  return { userId, boundTo, startedBy, sid, hasSecondFactor, createdAt, seenAt: createdAt, device };
}

/** Whether a session of the organization was started in this way. */
export function isStartedBy(
  startedBy: StoredSessionState['startedBy'],
  organizationId: number,
): (session: StoredSessionState) => boolean {
  return (session) => session.startedBy === startedBy && session.boundTo === organizationId;
}
