import { keepInCookie, keptInCookie } from '../encrypted-cookie.js';
import type { Visit } from '../visit.js';

const COOKIE = { name: 'email', context: 'email address for the sign-in form' } as const;
/** The browser forgets it when it is closed, if that is sooner. */
const LIFETIME_SECONDS = 7 * 24 * 60 * 60;

/** Has the sign-in form filled in for the person who signed in here last, or has set a new password. Only the browser keeps it. */
export function rememberEmail(visit: Visit, email: string): void {
  keepInCookie(visit, { ...COOKIE, text: email, seconds: LIFETIME_SECONDS, untilClosed: true });
}

/** Empty if there is none. */
export function rememberedEmail(visit: Visit): string {
  return keptInCookie(visit, COOKIE) ?? '';
}

export function forgetEmail({ cookies, response }: Visit): void {
  cookies.clear(response, 'email');
}
