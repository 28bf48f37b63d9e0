import type { Uses } from '../../deps.js';

/** The request of `signOut`. */
export interface SignOut {
  /** The value of the cookie, or null if there is none. */
  readonly session: string | null;
}

/** Ends the session everywhere at once. */
export async function signOut(
  { sessions, secrets }: Uses<'secrets.tokenHash' | 'sessions.end'>,
  { session }: SignOut,
): Promise<void> {
  const hash = session === null ? null : secrets.tokenHash('session', session);
  if (hash !== null) await sessions.end(hash);
}
