import { Refusal } from '../errors.js';
import type { StartedBy } from '../users/ports/sessions.js';

/** What a session that the password did not start may not do. */
export function sessionBound(startedBy: StartedBy = 'login-link'): Refusal {
  const opens =
    startedBy === 'sign-on' ? 'Sign-on opens one organization only' : 'A login link opens meetings only';
  return new Refusal('session-bound', `${opens}: sign in with your password first`);
}

/** What a session that the password started may not open. */
export function signOnRequired(): Refusal {
  return new Refusal('sign-on-required', 'This organization opens with sign-on at its identity provider');
}
