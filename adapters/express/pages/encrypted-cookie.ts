import type { CookieName } from './cookies.js';
import type { Visit } from './visit.js';

interface Kept {
  readonly name: CookieName;
  /** What the text is for. It can't be read as anything else. */
  readonly context: string;
}

/** Has the browser keep a text for some time, encrypted. `untilClosed`: not longer than until it is closed. */
export function keepInCookie(
  { browserCipher, cookies, response }: Visit,
  {
    name,
    context,
    text,
    seconds,
    untilClosed = false,
  }: Kept & { readonly text: string; readonly seconds: number; readonly untilClosed?: boolean },
): void {
  const value = browserCipher.encrypt({ text, context, expiresIn: seconds });
  cookies.set(response, { name, value, ...(!untilClosed && { seconds }) });
}

/** Null: there is none, or it has expired, or it is for something else. */
export function keptInCookie(
  { browserCipher, cookies, request }: Visit,
  { name, context }: Kept,
): string | null {
  return browserCipher.decrypt({ encrypted: cookies.read(request, name) ?? '', context });
}
