import type { Uses } from '../deps.js';
import type { Session } from './ports.js';
import { isSessionAlive } from './session.js';

/** The time of the last request is stored at most once in this interval. */
const TOUCH_INTERVAL_MS = 60 * 1000;

/** The request of `resumeSession`. */
export interface ResumeSession {
  /** The value of the cookie, or null if there is none. */
  readonly session: string | null;
}

/** Returns the session of a cookie, or null if it has expired. Prolongs the session. */
export async function resumeSession(
  { sessions, secrets, clock }: Uses<'clock.now' | 'secrets.tokenHash' | 'sessions.find' | 'sessions.touch'>,
  { session: token }: ResumeSession,
): Promise<Session | null> {
  const hash = token === null ? null : secrets.tokenHash('session', token);
  const session = hash === null ? null : await sessions.find(hash);
  if (hash === null || session === null) return null;

  const now = clock.now();
  if (!isSessionAlive(session, now)) return null;
  if (now.getTime() - session.seenAt.getTime() >= TOUCH_INTERVAL_MS) await sessions.touch({ hash, at: now });
  return session;
}
