import type { Session } from './ports.js';

/** Milliseconds without a request after which a session is over. */
export const sessionIdleTimeMs = 30 * 60 * 1000;
/** Milliseconds after which a session ends, used or not. */
export const sessionLifetimeMs = 12 * 60 * 60 * 1000;

export function isSessionAlive(session: Pick<Session, 'createdAt' | 'seenAt'>, now: Date): boolean {
  const idle = now.getTime() - session.seenAt.getTime();
  const age = now.getTime() - session.createdAt.getTime();
  return idle < sessionIdleTimeMs && age < sessionLifetimeMs;
}
