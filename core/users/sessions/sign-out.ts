import type { Uses } from '../../deps.js';
import type { ResumeSession } from './resume-session.js';

/** The request of `signOut`. */
export type SignOut = ResumeSession;

/** Ends the session everywhere at once. */
export async function signOut(
  { sessions, secrets }: Uses<'secrets.tokenHash' | 'sessions.end'>,
  { session }: SignOut,
): Promise<void> {
  const hash = session === null ? null : secrets.tokenHash('session', session);
  if (hash !== null) await sessions.end(hash);
}
