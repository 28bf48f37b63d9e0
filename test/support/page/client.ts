/**
 * A simple browser without scripts: it keeps cookies, and sends forms as they are in the page. It follows no redirects.
 */

import assert from 'node:assert/strict';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The HTML, or another body. */
  readonly text: string;
  /** What a reader sees of it. */
  readonly words: string;
  /** The named fields of its forms, as a browser would send them. */
  readonly fields: Readonly<Record<string, string>>;
  /** The redirect target without the origin, or null. */
  readonly location: string | null;
}

export interface SendForm {
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
  /** Replacements for the headers of a browser on our own page. Undefined omits a header. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

export interface PageClient {
  open(
    path: string,
    options?: { readonly method?: string; readonly headers?: Record<string, string> },
  ): Promise<Answer>;
  /** What a reader sees of the page. */
  read(path: string): Promise<string>;
  /** The fields of the page. */
  fieldsOf(path: string): Promise<Answer['fields']>;
  /** Sends a form with exactly these fields. */
  send(form: SendForm): Promise<Answer>;
  /** Opens a page, fills in fields of its form, and sends it to `action`, which is the page's path by default. */
  fillIn(path: string, fields: Readonly<Record<string, string>>, action?: string): Promise<Answer>;
  /** The port in the names of cookies is left out. */
  cookie(name: string): string | undefined;
  setCookie(name: string, value: string): void;
  /** A copy of all cookies. */
  cookies(): Map<string, string>;
  /** Another browser with a copy of the cookies. */
  copy(): PageClient;
}

export function pageClient(
  site: { readonly url: string; readonly origin: string },
  cookies: Map<string, string> = new Map(),
): PageClient {
  const send = async (path: string, init: RequestInit & { readonly headers: Record<string, string> }) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = {
      Accept: 'text/html,*/*;q=0.8',
      ...(cookie !== '' && { Cookie: cookie }),
      ...init.headers,
    };
    const response = await fetch(`${site.url}${path}`, { ...init, headers, redirect: 'manual' });
    for (const header of response.headers.getSetCookie()) keepCookie(cookies, header);
    const { status, headers: responseHeaders } = response;
    const text = await response.text();
    return {
      ...{ status, headers: responseHeaders, text, location: responseHeaders.get('location') },
      get words() {
        return readableText(text);
      },
      get fields() {
        return formFields(text);
      },
    };
  };

  const { port } = new URL(site.origin);
  const withPort = (name: string): string =>
    port === '' || name === 'time_zone' ? name : name.replace(/^(?:__Host-)?/, `$&${port}-`);

  const client: PageClient = {
    open: (path, { method = 'GET', headers = {} } = {}) => send(path, { method, headers }),
    read: async (path) => (await client.open(path)).words,
    fieldsOf: async (path) => (await client.open(path)).fields,
    async send({ path, fields, headers = {} }) {
      const sent = {
        Origin: site.origin,
        'Sec-Fetch-Site': 'same-origin',
        'Content-Type': 'application/x-www-form-urlencoded',
        ...headers,
      };
      const present = Object.entries(sent).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      );
      return send(path, {
        method: 'POST',
        body: new URLSearchParams(fields).toString(),
        headers: Object.fromEntries(present),
      });
    },
    async fillIn(path, fields, action = path) {
      return client.send({ path: action, fields: { ...(await client.fieldsOf(path)), ...fields } });
    },
    cookie: (name) => cookies.get(withPort(name)),
    setCookie(name, value) {
      cookies.set(withPort(name), value);
    },
    cookies: () => new Map(cookies),
    copy: () => pageClient(site, new Map(cookies)),
  };
  return client;
}

/** Opens the page to which the answer to a form redirects. */
export function follow(client: PageClient, { status, location, text }: Answer): Promise<Answer> {
  assert.equal(status, 303, text);
  return client.open(location ?? '');
}

/** The named fields of HTML with their values, as a browser would send them. */
export function formFields(html: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [input] of html.matchAll(/<input(?:"[^"]*"|[^>"])*>/g)) {
    const name = / name="([^"]*)"/.exec(input)?.[1];
    if (name !== undefined) fields[name] = plainText(/ value="([^"]*)"/.exec(input)?.[1] ?? '');
  }
  return fields;
}

/** A URL whose parts are elements, so that it breaks between them. */
const urlParts = /<span class="url">((?:<span>[^<]*<\/span>)*)<\/span>/g;

function joinedParts(_url: string, parts: string): string {
  return parts.replaceAll(/<\/?span>/g, '');
}

/** The text of a page, or of a part of one, without markup. */
export function readableText(html: string): string {
  const body = html.slice(Math.max(0, html.indexOf('<body')));
  return plainText(body.replace(urlParts, joinedParts).replace(/<(?:"[^"]*"|[^>"])*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();
}

/** The text of the `code` element with this id, as it is copied. Null if there is none. */
export function copiedText(html: string, id: string): string | null {
  const [, content] = new RegExp(`<code[^>]* id="${id}"[^>]*>(.*?)</code>`, 's').exec(html) ?? [];
  return content === undefined ? null : plainText(content.replace(/<(?:"[^"]*"|[^>"])*>/g, ''));
}

/** Decodes the HTML entities of a text. */
export function plainText(html: string): string {
  return html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

export function keepCookie(cookies: Map<string, string>, header: string): void {
  const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(header) ?? [];
  if (/expires=thu, 01 jan 1970/i.test(header)) cookies.delete(name);
  else cookies.set(name, value);
}
