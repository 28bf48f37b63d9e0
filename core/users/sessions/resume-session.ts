import type { Uses } from '../../deps.js';
import type { Session } from '../ports/sessions.js';
import { sessionEndsInMs } from './session.js';

/** The time of the last request is stored at most once in this interval. */
const TOUCH_INTERVAL_MS = 60 * 1000;

/** The request of `resumeSession`. */
export interface ResumeSession {
  /** The value of the cookie, or null if there is none. */
  readonly session: string | null;
}

/** A session at the time of a request. */
export interface ResumedSession extends Session {
  /** The milliseconds until the session ends if there is no other request. */
  readonly endsInMs: number;
}

/** Returns the session of a cookie, or null if it has expired. Prolongs the session. */
export async function resumeSession(
  { sessions, secrets, clock }: Uses<'clock.now' | 'secrets.tokenHash' | 'sessions.find' | 'sessions.touch'>,
  { session: token }: ResumeSession,
): Promise<ResumedSession | null> {
  const hash = token === null ? null : secrets.tokenHash('session', token);
  const session = hash === null ? null : await sessions.find(hash);
  if (hash === null || session === null) return null;

  const now = clock.now();
  if (sessionEndsInMs(session, now) <= 0) return null;
  const isTouched = now.getTime() - session.seenAt.getTime() >= TOUCH_INTERVAL_MS;
  if (isTouched) await sessions.touch({ hash, at: now });
  return { ...session, endsInMs: sessionEndsInMs(isTouched ? { ...session, seenAt: now } : session, now) };
}
