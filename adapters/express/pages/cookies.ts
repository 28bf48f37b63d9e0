import { parseCookie } from 'cookie';
import type { CookieOptions, Request, Response } from 'express';
import type { PublicAddress } from './public-address.js';

/**
 * `session`: who is signed in. `visitor`: a random value that forms belong to before anyone has signed in.
 * `notice`: the sentence that the next page shows once. `shown-once`: the secret that the next page shows once, encrypted.
 * `mailed-lists`: hashes of the lists of people who were just emailed. `language`: that of the samples in the docs.
 * `email`: the address for the sign-in form, encrypted. `sign-on`: a sign-on that has begun, encrypted. `organization`: the
 * number of the organization that someone signed in to last. `second-step`: a sign-in that waits for its second factor,
 * encrypted. `confirmed`: that someone has just proved who they are, encrypted. `setup`: that a set-up link was opened.
 * `place`: where the reader was last in an organization, encrypted.
 */
export type CookieName =
  | 'session'
  | 'visitor'
  | 'notice'
  | 'shown-once'
  | 'mailed-lists'
  | 'language'
  | 'email'
  | 'sign-on'
  | 'organization'
  | 'second-step'
  | 'confirmed'
  | 'setup'
  | 'place';

export type Cookies = ReturnType<typeof createCookies>;

type Address = Pick<PublicAddress, 'isHttps' | 'port' | 'basePath'>;

/**
 * With HTTPS the names begin with `__Host-`, so that other hosts and plain connections can't set them. Such cookies are
 * for the whole host, with all its ports, so the port and the path under which the pages are mounted are part of the names:
 * two services on one host each have their own.
 */
export function createCookies(address: Address) {
  const { isHttps, basePath } = address;
  const mountedAt = basePath === '' ? '' : `${encodeURIComponent(basePath.slice(1))}-`;
  const prefix = `${isHttps ? '__Host-' : ''}${portOf(address)}${mountedAt}`;
  const attributes: CookieOptions = { path: '/', httpOnly: true, sameSite: 'lax', secure: isHttps };
  return {
    read: (request: Request, name: CookieName): string | null =>
      parseCookie(request.get('cookie') ?? '')[`${prefix}${name}`] || null,
    /** The cookie lasts for `seconds`. Without them, it lasts until the browser is closed. */
    set(response: Response, cookie: Readonly<{ name: CookieName; value: string; seconds?: number }>): void {
      const { name, value, seconds } = cookie;
      const lasting = seconds === undefined ? attributes : { ...attributes, maxAge: seconds * 1000 };
      response.cookie(`${prefix}${name}`, value, lasting);
    },
    clear(response: Response, name: CookieName): void {
      response.clearCookie(`${prefix}${name}`, attributes);
    },
  };
}

/** The usual port is left out, unless the path could be taken for another one. */
function portOf({ isHttps, port, basePath }: Address): string {
  if (port !== '') return `${port}-`;
  return /^\/\d/.test(basePath) ? `${isHttps ? 443 : 80}-` : '';
}
