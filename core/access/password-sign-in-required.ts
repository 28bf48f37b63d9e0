import { Refusal, refusal } from '../errors.js';
import type { StartedBy } from '../users/ports/sessions.js';

/** What a session that the password did not start may not do. */
export function sessionBound(startedBy: StartedBy = 'login-link'): Refusal {
  return new Refusal('session-bound', `${opens[startedBy]}: sign in with your password first`);
}

const opens: Readonly<Record<StartedBy, string>> = {
  password: 'A password opens everything',
  'login-link': 'A login link opens meetings only',
  'sign-on': 'Sign-on opens one organization only',
  'setup-link': 'A set-up link opens sign-on and the directory only',
};

/** What a session that the password started may not open. */
export const signOnRequired = refusal(
  'sign-on-required',
  'This organization opens with sign-on at its identity provider',
);

/** What a session that the password alone has started may not open. */
export const secondFactorRequired = refusal(
  'second-factor-required',
  'This organization asks its owners and admins for a second factor',
);
