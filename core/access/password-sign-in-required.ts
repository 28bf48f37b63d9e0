import { Refusal } from '../errors.js';

/** What a session that a login link started may not do. */
export function sessionBound(): Refusal {
  return new Refusal('session-bound', 'A login link opens meetings only: sign in with your password first');
}
