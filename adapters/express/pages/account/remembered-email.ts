import type { Visit } from '../visit.js';

const CONTEXT = 'email address for the sign-in form';
/** The browser forgets it when it is closed, if that is sooner. */
const LIFETIME_SECONDS = 7 * 24 * 60 * 60;

/** Has the sign-in form filled in for the person who signed in here last, or has set a new password. Only the browser keeps it. */
export function rememberEmail({ cookies, browserCipher, response }: Visit, email: string): void {
  const value = browserCipher.encrypt({ text: email, context: CONTEXT, expiresIn: LIFETIME_SECONDS });
  cookies.set(response, { name: 'email', value });
}

/** Empty if there is none. */
export function rememberedEmail({ cookies, browserCipher, request }: Visit): string {
  const encrypted = cookies.read(request, 'email') ?? '';
  return browserCipher.decrypt({ encrypted, context: CONTEXT }) ?? '';
}

export function forgetEmail({ cookies, response }: Visit): void {
  cookies.clear(response, 'email');
}
