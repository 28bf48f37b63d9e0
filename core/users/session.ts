import type { Deps } from '../deps.js';
import { Refusal } from '../errors.js';
import type { Secret } from '../values/secret.js';
import type { Session, User } from './ports.js';

/** Milliseconds without a request after which a session is over. */
export const sessionIdleTime = 30 * 60 * 1000;
/** Milliseconds after which a session is over whatever happened. */
export const sessionLifetime = 12 * 60 * 60 * 1000;
/** A page view within this many milliseconds of the last one writes nothing. */
const TOUCH_INTERVAL = 60 * 1000;

export function isSessionAlive(session: Pick<Session, 'createdAt' | 'seenAt'>, now: Date): boolean {
  const idle = now.getTime() - session.seenAt.getTime();
  const age = now.getTime() - session.createdAt.getTime();
  return idle < sessionIdleTime && age < sessionLifetime;
}

export interface CreatedSession {
  /** For the cookie; the database has its hash only. */
  readonly session: Secret;
  readonly user: User;
  /** The organization in whose member page the session stays, or null. */
  readonly boundTo: number | null;
}

export interface CreateSession extends Pick<CreatedSession, 'user' | 'boundTo'> {
  /** The hash of the password that was verified for it; null: something else than a password opens it. */
  readonly passwordHash: string | null;
}

/** Refused with `wrong-credentials` when the password was changed since it was verified. */
export async function createSession(
  { sessions, secrets, clock }: Pick<Deps, 'sessions' | 'secrets' | 'clock'>,
  { user, boundTo, passwordHash }: CreateSession,
): Promise<CreatedSession> {
  const { token, hash } = secrets.newToken('session');
  const createdAt = clock.now();
  const isOpen = await sessions.create({ hash, userId: user.id, boundTo, createdAt, passwordHash });
  if (!isOpen) throw wrongCredentials();
  return { session: token, user, boundTo };
}

export function wrongCredentials(message = 'The e-mail address or the password is wrong'): Refusal {
  return new Refusal('wrong-credentials', message);
}

export interface ResumeSession {
  /** What the cookie held, or null where there is none. */
  readonly session: string | null;
}

/** The session that a cookie stands for, if it is alive, which this view prolongs. */
export async function resumeSession(
  { sessions, secrets, clock }: Pick<Deps, 'sessions' | 'secrets' | 'clock'>,
  { session: token }: ResumeSession,
): Promise<Session | null> {
  const hash = token === null ? null : secrets.tokenHash('session', token);
  const session = hash === null ? null : await sessions.find(hash);
  if (hash === null || session === null) return null;

  const now = clock.now();
  if (!isSessionAlive(session, now)) return null;
  if (now.getTime() - session.seenAt.getTime() >= TOUCH_INTERVAL) await sessions.touch({ hash, at: now });
  return session;
}

export interface SignOut {
  readonly session: string | null;
}

/** Ends the session everywhere at once. */
export async function signOut(
  { sessions, secrets }: Pick<Deps, 'sessions' | 'secrets'>,
  { session }: SignOut,
): Promise<void> {
  const hash = session === null ? null : secrets.tokenHash('session', session);
  if (hash !== null) await sessions.end(hash);
}
