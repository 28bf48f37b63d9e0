import type { Request, RequestHandler } from 'express';
import { setNotice } from './design/notice.js';
import { type FormToken, fieldOf, hasValidToken } from './form-guard.js';
import { keepText, newTextKey } from './kept-text.js';
import type { KeptForm } from './page.js';
import type { PageDeps } from './page-deps.js';
import { currentSession, pathAfterSignIn } from './session.js';
import type { Visit } from './visit.js';

const OPERATION = 'kept-form';
/** The hidden field that says who opened the form, so that it is given back to nobody else. */
const AUTHOR_FIELD = 'form_author';
/** A form can be given back for this long: as long as `answerOnce` keeps it. */
const LIFETIME_SECONDS = 24 * 60 * 60;
/** The number of forms that a browser can have at once, such as one in each of several tabs. */
const MAX_FORMS = 4;

/** The form of a page: its hidden fields, and what was typed before the form or the session had expired. */
export interface OpenedForm {
  readonly token: FormToken;
  /** Null if there is nothing to give back. */
  readonly kept: Readonly<Record<string, string>> | null;
}

/** Opens the form of the page. It is filled in again if it was kept for this person and this page. */
export async function openForm(deps: PageDeps, visit: Visit): Promise<OpenedForm> {
  const { organization, session, signedIn, request } = visit;
  const value = deps.browserCipher.encrypt({
    text: String(session.user.id),
    context: authorContext(organization.id),
    expiresIn: LIFETIME_SECONDS,
  });
  const token = { ...signedIn.formToken, author: { name: AUTHOR_FIELD, value } } as const;
  const kept = request.method === 'POST' ? null : await readKept(deps, visit);
  return { token: { ...token, isKept: kept !== null }, kept };
}

async function readKept(
  { core, cookies }: PageDeps,
  { organization, session, request }: Visit,
): Promise<OpenedForm['kept']> {
  const key = formsIn(cookies.read(request, 'kept-forms')).find(({ path }) => path === request.path)?.key;
  if (key === undefined) return null;
  const text = await core.readAnswer({ organization, operation: OPERATION, key });
  if (text === null) return null;
  const { userId, path, fields } = JSON.parse(text);
  return userId === session.user.id && path === request.path ? fields : null;
}

/**
 * Keeps what was typed if the form or the session has expired, and leads back to the form, by way of the sign-in page if
 * needed. Forms of anyone but the reader are left to the guard, which refuses them.
 */
export function keepExpiredForm(deps: PageDeps, { fields, page }: KeptForm): RequestHandler {
  const { core, cookies, address } = deps;
  return async (request, response, next) => {
    const path = page?.(request.path) ?? request.path;
    const others = formsIn(cookies.read(request, 'kept-forms')).filter((form) => form.path !== path);
    const session = await currentSession(deps, request);
    if (session !== null && hasValidToken(deps, request)) {
      // Sent again, the form is not needed any more.
      if (cookies.read(request, 'kept-forms') !== null) setForms(others);
      return next();
    }
    const organizationId = organizationOf(request);
    const author = authorOf(deps, organizationId, fieldOf(request, AUTHOR_FIELD));
    const isOfReader = author !== null && (session === null || session.user.id === author);
    if (!isOfReader || !address.matchesHost(request.host ?? '')) return next();

    const typed = fields.flatMap((name) => (name in request.body ? [[name, fieldOf(request, name)]] : []));
    const key = newTextKey();
    const text = JSON.stringify({ userId: author, path, fields: Object.fromEntries(typed) });
    if (!(await keepText({ core }, { organizationId, operation: OPERATION, key, text }))) return next();
    setForms([{ key, path }, ...others].slice(0, MAX_FORMS));
    if (session !== null) return response.redirect(303, path);
    setNotice(deps, response, 'form-kept');
    const after = pathAfterSignIn(path);
    response.redirect(303, after === null ? '/sign-in' : `/sign-in?next=${encodeURIComponent(after)}`);

    function setForms(forms: readonly NamedForm[]): void {
      const value = forms.map((form) => `${form.key}${form.path}`).join(' ');
      if (value === '') cookies.clear(response, 'kept-forms');
      else cookies.set(response, { name: 'kept-forms', value, seconds: LIFETIME_SECONDS });
    }
  };
}

/** Whether someone sends a form that they opened while they were signed in. Known before the form is read. */
export function isOwnForm(deps: PageDeps, request: Request): boolean {
  const { author } = request.query;
  return typeof author === 'string' && authorOf(deps, organizationOf(request), author) !== null;
}

/** The query for the address of a large form, with which `isOwnForm` knows it. */
export function authorQuery({ author }: FormToken): string {
  return author === undefined ? '' : `?author=${encodeURIComponent(author.value)}`;
}

function authorOf({ browserCipher }: PageDeps, organizationId: number, encrypted: string): number | null {
  const text = browserCipher.decrypt({ encrypted, context: authorContext(organizationId) });
  return text === null ? null : Number(text);
}

function authorContext(organizationId: number): string {
  return `the author of a form of organization ${organizationId}`;
}

/** The organization in the address. 0 if there is none. */
export function organizationOf({ path }: Request): number {
  const id = Number(/^\/organizations\/([1-9]\d{0,15})(?=\/|$)/i.exec(path)?.[1] ?? 0);
  return Number.isSafeInteger(id) ? id : 0;
}

/** A kept form in the cookie of the browser. */
interface NamedForm {
  readonly key: string;
  /** The page with the form. */
  readonly path: string;
}

function formsIn(cookie: string | null): readonly NamedForm[] {
  return (cookie ?? '').split(' ').flatMap((text) => {
    const [, key, path] = /^([\w-]{22})(\/[\w/-]{1,200})$/.exec(text) ?? [];
    return key === undefined || path === undefined ? [] : [{ key, path }];
  });
}
