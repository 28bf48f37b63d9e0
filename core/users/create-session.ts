import type { Uses } from '../deps.js';
import type { Secret } from '../values/secret.js';
import type { User } from './ports.js';
import { wrongCredentials } from './wrong-credentials.js';

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
  { sessions, secrets, clock }: Uses<'clock.now' | 'secrets.newToken' | 'sessions.create'>,
  { user, boundTo, passwordHash }: CreateSession,
): Promise<CreatedSession> {
  const { token, hash } = secrets.newToken('session');
  const createdAt = clock.now();
  const isOpen = await sessions.create({ hash, userId: user.id, boundTo, createdAt, passwordHash });
  if (!isOpen) throw wrongCredentials();
  return { session: token, user, boundTo };
}
