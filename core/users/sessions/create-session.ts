import type { Uses } from '../../deps.js';
import type { Refusal } from '../../errors.js';
import { readDevice } from '../../values/device.js';
import type { Secret } from '../../values/secret.js';
import type { User } from '../user.js';
import { wrongCredentials } from './wrong-credentials.js';

/** A session that has just started. */
export interface CreatedSession {
  /** The value of the cookie. Only its hash is stored. */
  readonly session: Secret;
  /** The user who signed in. */
  readonly user: User;
  /** The organization whose member pages the session is limited to; null: no limit. */
  readonly boundTo: number | null;
}

export interface CreateSession extends Pick<CreatedSession, 'user' | 'boundTo'> {
  /** The hash of the password that was verified; null: the session starts without a password. */
  readonly passwordHash: string | null;
  /** The browser and the system of the user, if they are known. */
  readonly device: string | undefined;
  /** The refusal if the password has changed since it was verified, or the person was erased. */
  readonly refusal?: () => Refusal;
}

/** Creates a session. Refuses if the password has changed since it was verified, or the person was erased. */
export async function createSession(
  { sessions, secrets, clock }: Uses<'clock.now' | 'secrets.newToken' | 'sessions.create'>,
  { user, boundTo, passwordHash, device, refusal = wrongCredentials }: CreateSession,
): Promise<CreatedSession> {
  const { token, hash } = secrets.newToken('session');
  const createdAt = clock.now();
  const session = { hash, userId: user.id, boundTo, createdAt, device: readDevice(device), passwordHash };
  const isCreated = await sessions.create(session);
  if (!isCreated) throw refusal();
  return { session: token, user, boundTo };
}
