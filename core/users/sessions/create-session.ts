import type { Uses } from '../../deps.js';
import type { Refusal } from '../../errors.js';
import { readDevice } from '../../values/device.js';
import type { Secret } from '../../values/secret.js';
import type { Session, VerifiedSession } from '../ports/sessions.js';
import { wrongCredentials } from './wrong-credentials.js';

/** A session that has just started. */
export interface CreatedSession extends Pick<Session, 'user' | 'boundTo'> {
  /** The value of the cookie. Only its hash is stored. */
  readonly session: Secret;
}

export interface CreateSession
  extends Pick<CreatedSession, 'user' | 'boundTo'>,
    Pick<VerifiedSession, 'sid' | 'hasSecondFactor' | 'passwordHash'> {
  /** How it begins, if neither `boundTo` nor its absence says so. */
  readonly startedBy?: Extract<VerifiedSession['startedBy'], 'sign-on' | 'setup-link'> | undefined;
  /** The browser and the system of the user, if they are known. */
  readonly device: string | undefined;
  /** The refusal if the password has changed since it was verified, or the person was erased. */
  readonly refusal?: () => Refusal;
}

/** Creates a session. Refuses if the password has changed since it was verified, or the person was erased. */
export async function createSession(
  { sessions, secrets, clock }: Uses<'clock.now' | 'secrets.newToken' | 'sessions.create'>,
  {
    user,
    boundTo,
    startedBy,
    sid,
    passwordHash,
    hasSecondFactor,
    device,
    refusal = wrongCredentials,
  }: CreateSession,
): Promise<CreatedSession> {
  const { token, hash } = secrets.newToken('session');
  const createdAt = clock.now();
  const started = { boundTo, startedBy, sid, hasSecondFactor, createdAt, device: readDevice(device) };
  const isCreated = await sessions.create({ hash, userId: user.id, ...started, passwordHash });
  if (!isCreated) throw refusal();
  return { session: token, user, boundTo };
}
