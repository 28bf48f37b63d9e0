import type { Uses } from '../deps.js';

export interface SignOut {
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
