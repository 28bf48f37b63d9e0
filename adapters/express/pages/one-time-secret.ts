import type { Secret } from '@rollcall/core';
import type { Visit } from './visit.js';

/** How long the page that shows the secret can still be loaded if its first answer did not arrive. */
const LIFETIME_SECONDS = 5 * 60;

/**
 * Redirects to the page that shows a new secret once. Until then only the browser keeps it, in a cookie that it can't
 * read itself, and that shows nothing in another session or on another page.
 */
export function redirectToSecret(
  { cookies, browserCipher, request, response }: Visit,
  { path, secret }: { readonly path: string; readonly secret: Secret },
): void {
  const context = contextOf(cookies.read(request, 'session'), path);
  const value = browserCipher.encrypt({ text: secret.reveal(), context, expiresIn: LIFETIME_SECONDS });
  cookies.set(response, { name: 'shown-once', value, seconds: LIFETIME_SECONDS });
  response.redirect(303, path);
}

/** The secret that the page shows now and never again. Null if there is none, or it was shown. */
export function consumeSecret(
  { cookies, browserCipher, request, response }: Visit,
  path: string,
): string | null {
  const encrypted = cookies.read(request, 'shown-once');
  if (encrypted === null) return null;
  const context = contextOf(cookies.read(request, 'session'), path);
  const secret = browserCipher.decrypt({ encrypted, context });
  // The answer to HEAD shows nothing.
  if (secret !== null && request.method === 'GET') cookies.clear(response, 'shown-once');
  return secret;
}

function contextOf(session: string | null, path: string): string {
  return `shown once on ${path} in session ${session ?? ''}`;
}
