import type { CookieOptions, Request, Response } from 'express';

/**
 * `session`: who is signed in. `visitor`: a random value that forms belong to before that.
 * `notice`: which sentence the next page shows once.
 */
export type CookieName = 'session' | 'visitor' | 'notice';

export interface Cookies {
  read(request: Request, name: CookieName): string | null;
  /** `seconds` is how long it lasts; without, as long as the browser is open. */
  set(
    response: Response,
    cookie: { readonly name: CookieName; readonly value: string; readonly seconds?: number },
  ): void;
  clear(response: Response, name: CookieName): void;
}

/** With HTTPS the names begin with `__Host-`: no other host and no plain connection can set them. */
export function createCookies({ isHttps }: { readonly isHttps: boolean }): Cookies {
  const prefix = isHttps ? '__Host-' : '';
  const attributes: CookieOptions = { path: '/', httpOnly: true, sameSite: 'lax', secure: isHttps };
  return {
    read: (request, name) => readCookie(request.get('cookie') ?? '', `${prefix}${name}`),
    set(response, { name, value, seconds }) {
      const lasting = seconds === undefined ? attributes : { ...attributes, maxAge: seconds * 1000 };
      response.cookie(`${prefix}${name}`, value, lasting);
    },
    clear(response, name) {
      response.clearCookie(`${prefix}${name}`, attributes);
    },
  };
}

/** What we set needs no decoding. */
function readCookie(header: string, name: string): string | null {
  const start = `${name}=`;
  const pair = header
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(start));
  return pair === undefined || pair === start ? null : pair.slice(start.length);
}
