import type { Secret } from '@rollcall/core';
import type { VNode } from 'preact';
import { showMessage } from './ask.js';
import type { PageLink } from './design/components.js';
import { keepInCookie, keptInCookie } from './encrypted-cookie.js';
import type { Visit } from './visit.js';

/** How long the page that shows the secret can still be loaded if its first answer did not arrive. */
const LIFETIME_SECONDS = 5 * 60;

/**
 * Redirects to the page that shows a new secret once. Until then only the browser keeps it, in a cookie that it can't
 * read itself, and that shows nothing in another session or on another page.
 */
export function redirectToSecret(
  visit: Visit,
  { path, secret }: { readonly path: string; readonly secret: Secret },
): void {
  keepInCookie(visit, { ...cookieOf(visit, path), text: secret.reveal(), seconds: LIFETIME_SECONDS });
  visit.response.redirect(303, path);
}

interface SecretPage {
  readonly title: string;
  /** What is shown, as the title without it names it. */
  readonly thing: string;
  /** What to do without it. */
  readonly lost: string;
  readonly back: PageLink;
  readonly next: PageLink;
  readonly view: (secret: string) => VNode;
}

/** Shows the secret, or that it was shown (decision 266). */
export function showSecretOnce(visit: Visit, { title, thing, lost, back, next, view }: SecretPage): void {
  const { cookies, request, response } = visit;
  const secret = keptInCookie(visit, cookieOf(visit, request.path));
  // The answer to HEAD shows nothing.
  if (secret !== null && request.method === 'GET') cookies.clear(response, 'shown-once');
  const page = { mayReload: false, notice: visit.consumeNotice() };
  if (secret !== null) visit.show({ ...page, title }, view(secret));
  else
    showMessage(visit, {
      ...page,
      title: `${thing} can’t be shown again`,
      back,
      next,
      children: <p>{lost}</p>,
    });
}

function cookieOf({ sessionToken }: Visit, path: string) {
  return { name: 'shown-once', context: `shown once on ${path} in session ${sessionToken ?? ''}` } as const;
}
