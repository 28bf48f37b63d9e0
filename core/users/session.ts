import type { Session } from './ports.js';

/** A session ends after this many milliseconds without a request. */
export const sessionIdleTimeMs = 30 * 60 * 1000;
/** A session ends after this many milliseconds, even if it is in use. */
export const sessionLifetimeMs = 12 * 60 * 60 * 1000;

export function isSessionAlive(session: Pick<Session, 'createdAt' | 'seenAt'>, now: Date): boolean {
  const idle = now.getTime() - session.seenAt.getTime();
  const age = now.getTime() - session.createdAt.getTime();
  return idle < sessionIdleTimeMs && age < sessionLifetimeMs;
}
