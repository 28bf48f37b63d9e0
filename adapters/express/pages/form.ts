import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import { maxInvitationLines } from '@rollcall/core/rules';
import express, { type Request } from 'express';
import type { CarriedForm, FormToken } from './design/form.js';
import { PageError } from './errors/error-page.js';
import type { Visit } from './visit.js';

type Fields = Readonly<Record<string, string>>;

const TOKEN_FIELD = 'form_token';
/** Says who opened the form, so that it is given back to nobody else. */
export const AUTHOR_FIELD = 'form_author';
/** What was typed into another form, in the sign-in form. */
const KEPT_FIELD = 'kept_form';

const VISITOR_BYTES = 16;
/** The limit for all forms without a larger one. */
const MAX_FORM_BYTES = 20 * 1024;
/** Enough for as many lines as a list of people may have, of 2000 bytes each. */
const MAX_LARGE_FORM_BYTES = maxInvitationLines * 2000;
/** A form can be given back for this long. */
const LIFETIME_SECONDS = 24 * 60 * 60;

/**
 * Reads the fields of a form that has text fields only, sent from one of the service's pages. Whether it `mayBeLarge` is
 * asked before the body is read: other requests keep the usual limit.
 */
export async function readForm(
  visit: Pick<Visit, 'address' | 'request' | 'response'>,
  mayBeLarge: () => Promise<boolean> = async () => false,
): Promise<void> {
  const { request, response } = visit;
  checkOrigin(visit);
  if (!request.is('application/x-www-form-urlencoded')) throw new PageError('unsupported-form');
  const parse = (await mayBeLarge()) ? parseLarge : parseUsual;
  await new Promise<void>((resolve, reject) =>
    parse(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error))),
  );
  // There is no body if the browser left before it was read.
  if (request.body === undefined) throw new PageError('malformed-form');
  const values: unknown[] = Object.values(request.body);
  if (!values.every((value) => typeof value === 'string')) throw new PageError('malformed-form');
}

/** Browsers send the origin of a form in one of two headers. It must be the service's own. */
function checkOrigin({ address, request }: Pick<Visit, 'address' | 'request'>): void {
  const origin = request.get('origin');
  if (origin !== undefined && !address.isOwnOrigin(origin)) throw new PageError('cross-origin-form');
  const site = request.get('sec-fetch-site') ?? 'none';
  if (site !== 'same-origin' && site !== 'none') throw new PageError('cross-origin-form');
}

/** Whether a page of another site has led the browser here, as far as the browser says. */
export function isFromOtherSite(request: Request): boolean {
  return /^(?:cross|same)-site$/.test(request.get('sec-fetch-site') ?? '');
}

const [parseUsual, parseLarge] = [parser(MAX_FORM_BYTES), parser(MAX_LARGE_FORM_BYTES)] as const;

function parser(limit: number) {
  return express.urlencoded({
    extended: false,
    limit,
    parameterLimit: 30,
    inflate: false,
    verify: checkEncoding,
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Refuses broken escapes, which browsers never send and which would be read as literal text. */
function checkEncoding(_request: unknown, _response: unknown, body: Buffer): void {
  try {
    decodeURIComponent(utf8.decode(body));
  } catch {
    throw new PageError('malformed-form');
  }
}

/** The token for the forms of one page. Call it once per page, because it may set a visitor cookie. */
export function formToken(visit: Visit): FormToken {
  const known = cookieValue(visit);
  const value = known ?? randomBytes(VISITOR_BYTES).toString('base64url');
  if (known === null) visit.cookies.set(visit.response, { name: 'visitor', value });
  return { fields: { [TOKEN_FIELD]: visit.formTokens.issue(value) } };
}

/** Whether the form belongs to the reader's session, or to the browser if nobody is signed in. */
export function hasValidToken(visit: Visit): boolean {
  const value = cookieValue(visit);
  return value !== null && visit.formTokens.matches(value, visit.field(TOKEN_FIELD));
}

/** The cookie that a form belongs to: the session's, otherwise the visitor's. */
function cookieValue({ cookies, request }: Visit): string | null {
  return cookies.read(request, 'session') ?? cookies.read(request, 'visitor');
}

/** The token of a form that is given back to this user if it has expired when it is sent. */
export function authoredToken(visit: Visit, userId: number): FormToken {
  const value = visit.browserCipher.encrypt({
    text: String(userId),
    context: AUTHOR_FIELD,
    expiresIn: LIFETIME_SECONDS,
  });
  return { fields: { ...formToken(visit).fields, [AUTHOR_FIELD]: value }, isKept: visit.kept !== null };
}

interface TypedForm {
  readonly userId: number;
  readonly path: string;
  readonly fields: Fields;
}

/** What was typed into the form that was sent, now or before signing in. Null if its author is not known. */
export async function typedForm(visit: Visit, names: readonly string[]): Promise<TypedForm | null> {
  const carried = await carriedForm(visit);
  if (carried !== null) return carried;
  const { request } = visit;
  const userId = authorOf(visit, visit.field(AUTHOR_FIELD));
  if (userId === null) return null;
  const typed = names.flatMap((name) => (name in request.body ? [[name, visit.field(name)]] : []));
  return { userId, path: request.path, fields: Object.fromEntries(typed) };
}

const [compress, decompress] = [promisify(deflate), promisify(inflate)];

/** Encrypts what was typed for the sign-in form. Nothing is stored. */
export async function carry(visit: Visit, typed: TypedForm): Promise<CarriedForm> {
  // Smaller than it was typed, so that a form at its limit is not too large.
  const text = (await compress(JSON.stringify(typed))).toString('base64');
  const value = visit.browserCipher.encrypt({ text, context: KEPT_FIELD, expiresIn: LIFETIME_SECONDS });
  return { name: KEPT_FIELD, value, query: authorQuery(visit.field(AUTHOR_FIELD)) };
}

/** The field of the sign-in form that was sent, for the case that the form is shown again. */
export function carriedField(visit: Visit): CarriedForm | null {
  const value = visit.field(KEPT_FIELD);
  if (value === '') return null;
  return { name: KEPT_FIELD, value, query: authorQuery(String(visit.request.query.author ?? '')) };
}

/** The form that the sign-in form has carried on. Null if there is none. */
export async function carriedForm(visit: Visit): Promise<TypedForm | null> {
  const encrypted = visit.field(KEPT_FIELD);
  const text = visit.browserCipher.decrypt({ encrypted, context: KEPT_FIELD });
  return text === null ? null : JSON.parse((await decompress(Buffer.from(text, 'base64'))).toString());
}

/** Whether someone sends a form that they opened while they were signed in. Known before the form is read. */
export function isOwnForm(visit: Visit): boolean {
  const { author } = visit.request.query;
  return typeof author === 'string' && authorOf(visit, author) !== null;
}

/** The query for the address of a large form, with which `isOwnForm` knows it. */
export function authorQuery(author = ''): string {
  return author === '' ? '' : `?author=${encodeURIComponent(author)}`;
}

function authorOf({ browserCipher }: Visit, encrypted: string): number | null {
  const text = browserCipher.decrypt({ encrypted, context: AUTHOR_FIELD });
  return text === null ? null : Number(text);
}
