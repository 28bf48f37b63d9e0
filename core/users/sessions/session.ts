import type { Session } from '../ports/sessions.js';

/** A session ends after this many milliseconds without a request. */
export const sessionIdleTimeMs = 30 * 60 * 1000;
/** A session ends after this many milliseconds, even if it is in use. */
export const sessionLifetimeMs = 12 * 60 * 60 * 1000;

/** The session of a set-up link ends after this many milliseconds, even if it is in use. */
export const setupSessionMs = 5 * 60 * 1000;

/** The sessions of one user that are kept. Beyond it, those end that were used longest ago. */
export const maxSessions = 200;

/** The number of other sessions that `listSessions` returns. */
export const maxListedSessions = 100;

/** The milliseconds until the session ends if there is no other request. 0 or less if it has ended. */
export function sessionEndsInMs(
  { createdAt, seenAt, startedBy }: Pick<Session, 'createdAt' | 'seenAt' | 'startedBy'>,
  now: Date,
): number {
  const idle = now.getTime() - seenAt.getTime();
  const age = now.getTime() - createdAt.getTime();
  const lifetime = startedBy === 'setup-link' ? setupSessionMs : sessionLifetimeMs;
  return Math.min(sessionIdleTimeMs - idle, lifetime - age);
}
