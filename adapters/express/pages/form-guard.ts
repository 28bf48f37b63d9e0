import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { maxInvitationLines } from '@rollcall/core/rules';
import express, { type Request, type RequestHandler, type Response } from 'express';
import type { PageDeps } from './page-deps.js';
import { PageError } from './page-error.js';

type FormGuardDeps = Pick<PageDeps, 'address' | 'cookies' | 'formTokens'>;

const TOKEN_FIELD = 'form_token';
const VISITOR_BYTES = 16;

/** The limit for all forms without a larger one. */
const MAX_FORM_BYTES = 20 * 1024;
/** Enough for as many lines as a list of people may have, of 2000 bytes each. */
const MAX_LARGE_FORM_BYTES = maxInvitationLines * 2000;

/** A form that may be larger than others. */
export interface LargeForm {
  /** Checked before the body is read: requests that fail it keep the usual limit. */
  isAllowed(request: Request): Promise<boolean>;
}

/**
 * Accepts forms with text fields only, sent from one of the service's pages in this browser. `onExpired` gets a form
 * before its token is checked.
 */
export function formGuard(
  deps: FormGuardDeps,
  { large, onExpired }: { readonly large?: LargeForm; readonly onExpired?: RequestHandler } = {},
): readonly RequestHandler[] {
  const read = large === undefined ? readForm(MAX_FORM_BYTES) : readLargeForm(large);
  const before = onExpired === undefined ? [] : [onExpired];
  return [checkOrigin(deps), checkType, read, checkFields, ...before, checkToken(deps)];
}

/** A field of a form that the guard has accepted. Empty if it is missing. */
export function fieldOf(request: Request, name: string): string {
  const fields: Readonly<Record<string, string>> = request.body;
  return fields[name] ?? '';
}

/** The hidden field of every form. */
export interface FormToken {
  readonly name: typeof TOKEN_FIELD;
  readonly value: string;
  /** Another hidden field, in forms that are given back when they have expired. */
  readonly author?: { readonly name: string; readonly value: string };
  /** Whether the form has been given back. */
  readonly isKept?: boolean;
}

/** A form that the sign-in form carries on, encrypted. */
export interface CarriedForm {
  /** The hidden field. */
  readonly name: string;
  readonly value: string;
  /** Says in the address that the sign-in form may be large. */
  readonly query: string;
}

/** The token for the forms of one page. Call it once per page, because it may set a visitor cookie. */
export function formToken(
  { cookies, formTokens }: FormGuardDeps,
  request: Request,
  response: Response,
): FormToken {
  const known = cookieValue(cookies, request);
  const value = known ?? randomBytes(VISITOR_BYTES).toString('base64url');
  if (known === null) cookies.set(response, { name: 'visitor', value });
  return { name: TOKEN_FIELD, value: formTokens.issue(value) };
}

/** The cookie that a form belongs to: the session's, otherwise the visitor's. */
function cookieValue(cookies: PageDeps['cookies'], request: Request): string | null {
  return cookies.read(request, 'session') ?? cookies.read(request, 'visitor');
}

/** Browsers send the origin of a form in one of two headers. It must be the service's own. */
function checkOrigin({ address }: FormGuardDeps): RequestHandler {
  return (request, _response, next) => {
    const origin = request.get('origin');
    if (origin !== undefined && !address.isOwnOrigin(origin)) throw new PageError('cross-origin-form');
    const site = request.get('sec-fetch-site') ?? 'none';
    if (site !== 'same-origin' && site !== 'none') throw new PageError('cross-origin-form');
    next();
  };
}

const checkType: RequestHandler = (request, _response, next) => {
  if (!request.is('application/x-www-form-urlencoded')) throw new PageError('unsupported-form');
  next();
};

function readForm(limit: number): RequestHandler {
  return express.urlencoded({
    extended: false,
    limit,
    parameterLimit: 30,
    inflate: false,
    verify: checkEncoding,
  });
}

function readLargeForm({ isAllowed }: LargeForm): RequestHandler {
  const [usual, large] = [readForm(MAX_FORM_BYTES), readForm(MAX_LARGE_FORM_BYTES)];
  return async (request, response, next) => {
    const read = (await isAllowed(request)) ? large : usual;
    read(request, response, next);
  };
}

/** Refuses broken escapes, which browsers never send and which would be read as literal text. */
function checkEncoding(_request: unknown, _response: unknown, body: Buffer): void {
  if (!isUtf8(body) || !canDecode(body.toString())) throw new PageError('malformed-form');
}

function canDecode(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}

const checkFields: RequestHandler = (request, _response, next) => {
  // There is no body if the browser left before it was read.
  if (request.body === undefined) throw new PageError('malformed-form');
  const values: unknown[] = Object.values(request.body);
  if (!values.every((value) => typeof value === 'string')) throw new PageError('malformed-form');
  next();
};

/** Whether the form belongs to the reader's session, or to the browser if nobody is signed in. */
export function hasValidToken(
  { cookies, formTokens }: Pick<FormGuardDeps, 'cookies' | 'formTokens'>,
  request: Request,
): boolean {
  const value = cookieValue(cookies, request);
  return value !== null && formTokens.matches(value, fieldOf(request, TOKEN_FIELD));
}

function checkToken(deps: FormGuardDeps): RequestHandler {
  return (request, _response, next) => {
    if (!hasValidToken(deps, request)) throw new PageError('expired-form');
    next();
  };
}
