import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import type { Request, RequestHandler } from 'express';
import { showSignIn } from './account/sign-in-form.js';
import { noProblems } from './design/form.js';
import { type CarriedForm, type FormToken, fieldOf, hasValidToken } from './form-guard.js';
import type { KeptForm, PageHandler } from './page.js';
import type { PageDeps } from './page-deps.js';
import { currentSession, pathAfterSignIn } from './session.js';
import type { Visit } from './visit.js';

/** The hidden field that says who opened the form, so that it is given back to nobody else. */
const AUTHOR_FIELD = 'form_author';
/** The hidden field of the sign-in form with what was typed before. */
const KEPT_FIELD = 'kept_form';
/** A form can be given back for this long. */
const LIFETIME_SECONDS = 24 * 60 * 60;

/** The form of a page: its hidden fields, and what was typed before the form or the session had expired. */
export interface OpenedForm {
  readonly token: FormToken;
  /** Null if there is nothing to give back. */
  readonly kept: Readonly<Record<string, string>> | null;
}

/** Opens the form of the page. It is filled in again if it is given back. */
export function openForm({ browserCipher }: PageDeps, { session, signedIn, response }: Visit): OpenedForm {
  const value = browserCipher.encrypt({
    text: String(session.user.id),
    context: AUTHOR_FIELD,
    expiresIn: LIFETIME_SECONDS,
  });
  const kept: OpenedForm['kept'] = response.locals.keptForm ?? null;
  const author = { name: AUTHOR_FIELD, value };
  return { token: { ...signedIn.formToken, author, isKept: kept !== null }, kept };
}

/** What someone has typed into a form. */
interface TypedForm {
  readonly userId: number;
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * Shows the form again with what was typed if the form or the session has expired, by way of the sign-in page if needed.
 * Nothing is stored: until then, the sign-in page has it in an encrypted field. Forms of anyone but the reader are left
 * to the guard, which refuses them.
 */
export function giveBackForm(
  deps: PageDeps,
  { fields, show }: KeptForm & { readonly show: PageHandler },
): RequestHandler {
  return async (request, response, next) => {
    const session = await currentSession(deps, request);
    if (session !== null && hasValidToken(deps, request)) return next();
    const typed = (await keptIn(deps, request)) ?? typedIn(deps, request, fields);
    const isOfReader = session === null || session.user.id === typed?.userId;
    if (typed?.path !== request.path || !isOfReader || !deps.address.matchesHost(request.host ?? ''))
      return next();
    if (session !== null) {
      response.locals.keptForm = typed.fields;
      return show(request, response);
    }
    const kept = await encrypted(deps, request, typed);
    const after = pathAfterSignIn(typed.path);
    showSignIn(deps, request, response, { next: after, email: '', problems: noProblems, kept });
  };
}

function typedIn(deps: PageDeps, request: Request, fields: KeptForm['fields']): TypedForm | null {
  const userId = authorOf(deps, fieldOf(request, AUTHOR_FIELD));
  if (userId === null) return null;
  const typed = fields.flatMap((name) => (name in request.body ? [[name, fieldOf(request, name)]] : []));
  return { userId, path: request.path, fields: Object.fromEntries(typed) };
}

const [compress, decompress] = [promisify(deflate), promisify(inflate)];

async function encrypted(
  { browserCipher }: PageDeps,
  request: Request,
  typed: TypedForm,
): Promise<CarriedForm> {
  // Smaller than it was typed, so that a form at its limit is not too large.
  const text = (await compress(JSON.stringify(typed))).toString('base64');
  const value = browserCipher.encrypt({ text, context: KEPT_FIELD, expiresIn: LIFETIME_SECONDS });
  return { name: KEPT_FIELD, value, query: queryOf(fieldOf(request, AUTHOR_FIELD)) };
}

/** What the sign-in form carries on. */
export function carriedIn({ body, query }: Request): CarriedForm | null {
  const value: string = body[KEPT_FIELD] ?? '';
  return value === '' ? null : { name: KEPT_FIELD, value, query: queryOf(String(query.author ?? '')) };
}

/** The form that was kept until its author has signed in. Null if there is none. */
export async function keptIn({ browserCipher }: PageDeps, request: Request): Promise<TypedForm | null> {
  const value = { encrypted: fieldOf(request, KEPT_FIELD), context: KEPT_FIELD };
  const text = browserCipher.decrypt(value);
  return text === null ? null : JSON.parse((await decompress(Buffer.from(text, 'base64'))).toString());
}

/** Whether someone sends a form that they opened while they were signed in. Known before the form is read. */
export function isOwnForm(deps: PageDeps, { query: { author } }: Request): boolean {
  return typeof author === 'string' && authorOf(deps, author) !== null;
}

/** The query for the address of a large form, with which `isOwnForm` knows it. */
export function authorQuery({ author }: FormToken): string {
  return author === undefined ? '' : queryOf(author.value);
}

function queryOf(author: string): string {
  return `?author=${encodeURIComponent(author)}`;
}

function authorOf({ browserCipher }: PageDeps, encrypted: string): number | null {
  const text = browserCipher.decrypt({ encrypted, context: AUTHOR_FIELD });
  return text === null ? null : Number(text);
}
