import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, deflate, inflate } from 'node:zlib';
import type { Role } from '@rollcall/core';
import type { Request, RequestHandler, Response } from 'express';
import { emptyPage } from './design/layout.js';
import { comesFromOurPage, cookieValue } from './form-guard.js';
import { organizationOf } from './kept-form.js';
import { isTextKey, keepText, newTextKey } from './kept-text.js';
import type { PageDeps } from './page-deps.js';
import { sectionPath } from './section-path.js';
import { type RenderedPage, replaceSender, sendDirectly } from './send-page.js';
import { currentSession } from './session.js';
import { isAuthorized, requiredRole } from './visit.js';

const [compress, decompress] = [promisify(brotliCompress), promisify(brotliDecompress)];
const [compressSmall, decompressSmall] = [promisify(deflate), promisify(inflate)];

const OPERATION = 'answer-to-a-form';
/** A cookie is sent with every request, so it is forgotten sooner. */
const COOKIE_SECONDS = 60 * 60;
/** Higher qualities take seconds for a megabyte, in threads that also hash passwords. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
/** With the other headers, this fits into the 4 KB that proxies accept by default. */
const MAX_COOKIE_LENGTH = 2600;

/** A page that answers a form, until the browser asks for it. */
interface KeptAnswer extends RenderedPage {
  readonly retryAfter: string | null;
  /** Whether the reader was signed in. Then the page is shown only as long as their session works. */
  readonly isSignedIn: boolean;
}

/**
 * Redirects to the page that answers the form, instead of sending it. So "Back" and a reload show this page, and not the
 * browser's question whether to send the form again. Failures of the service are sent: a reload tries again.
 */
export function keepAnswers(deps: PageDeps): RequestHandler {
  return (request, response, next) => {
    // A browser without cookies could not be shown the page.
    if (comesFromOurPage(deps, request) && cookieValue(deps.cookies, request) !== null)
      replaceSender(response, (page) => {
        if (page.status >= 500) sendDirectly(response, page);
        else
          redirectToAnswer(deps, request, response, page).catch((error: unknown) => {
            // The page about this failure can't be kept either.
            replaceSender(response, (failure) => sendDirectly(response, failure));
            next(error);
          });
      });
    next();
  };
}

async function redirectToAnswer(
  deps: PageDeps,
  request: Request,
  response: Response,
  page: RenderedPage,
): Promise<void> {
  const retryAfter = response.get('Retry-After') ?? null;
  const isSignedIn = (await currentSession(deps, request)) !== null;
  const answer = { ...page, retryAfter, isSignedIn };
  const key = newTextKey();
  const role = requiredRole(request);
  const isKept =
    role === undefined
      ? keepInCookie(deps, request, response, { key, text: await packForCookie(deps, answer) })
      : await keepInStorage(deps, request, { key, text: await pack(answer), role });
  if (!isKept) return sendDirectly(response, page);
  response.removeHeader('Retry-After');
  response.redirect(303, `${request.path}?answer=${key}`);
}

interface Packed {
  readonly key: string;
  readonly text: string;
}

/** For pages outside organizations, and for people who may not open the page. */
function keepInCookie(
  { cookies, browserCipher }: PageDeps,
  request: Request,
  response: Response,
  { key, text }: Packed,
): boolean {
  const context = contextOf(readerOf(cookies, request), request, key);
  const value = browserCipher.encrypt({ text, context, expiresIn: COOKIE_SECONDS });
  if (value.length > MAX_COOKIE_LENGTH) return false;
  cookies.set(response, { name: 'kept-answer', value, seconds: COOKIE_SECONDS });
  return true;
}

async function keepInStorage(
  { core, cookies }: PageDeps,
  request: Request,
  { key, text, role }: Packed & { readonly role: Role },
): Promise<boolean> {
  const context = contextOf(readerOf(cookies, request), request, key);
  const organizationId = organizationOf(request);
  const kept = JSON.stringify({ context, role, text });
  return keepText({ core }, { organizationId, operation: OPERATION, key, text: kept });
}

/**
 * Shows the answer that the address names, to the same session or browser. If it is not kept any more, leads to the
 * page, or to the section if the address is only for forms.
 */
export function showKeptAnswer(deps: PageDeps, { hasPage }: { readonly hasPage: boolean }): RequestHandler {
  return async (request, response, next) => {
    const { answer: key } = request.query;
    if (key === undefined || !['GET', 'HEAD'].includes(request.method)) return next();
    const answer = isTextKey(key) ? await find(deps, request, key) : null;
    if (answer === null)
      return response.redirect(303, hasPage ? request.path : (sectionPath(request.path) ?? '/'));
    const { retryAfter, status, html } = answer;
    if (retryAfter !== null) response.set('Retry-After', retryAfter);
    sendDirectly(response, { status, html });
  };
}

async function find(deps: PageDeps, request: Request, key: string): Promise<KeptAnswer | null> {
  const { core, cookies, browserCipher } = deps;
  const context = contextOf(readerOf(cookies, request), request, key);
  const encrypted = cookies.read(request, 'kept-answer');
  const inCookie = encrypted === null ? null : browserCipher.decrypt({ encrypted, context });
  if (inCookie !== null) {
    const answer = await unpackFromCookie(deps, inCookie);
    return answer?.isSignedIn && (await currentSession(deps, request)) === null ? null : answer;
  }

  const organization = { id: organizationOf(request) };
  if (organization.id === 0) return null;
  const kept = await core.readAnswer({ organization, operation: OPERATION, key });
  if (kept === null) return null;
  const { context: keptContext, role, text } = JSON.parse(kept);
  return keptContext === context && (await isAuthorized(deps, { role }, request)) ? unpack(text) : null;
}

/** The session, or the browser of someone who is not signed in. */
function readerOf(cookies: PageDeps['cookies'], request: Request): string {
  return createHash('sha256')
    .update(cookieValue(cookies, request) ?? '')
    .digest('base64url');
}

function contextOf(reader: string, { path }: Request, key: string): string {
  return `answer ${key} to the form of ${reader} on ${path}`;
}

async function pack(answer: KeptAnswer): Promise<string> {
  return (await compress(JSON.stringify(answer), QUALITY)).toString('base64url');
}

async function unpack(text: string): Promise<KeptAnswer> {
  return JSON.parse((await decompress(Buffer.from(text, 'base64url'))).toString());
}

/**
 * Much of a page is the same in each. A cookie has little room, so it keeps only what differs from an empty page.
 * Another release, whose pages differ, can't read it.
 */
async function packForCookie(deps: PageDeps, answer: KeptAnswer): Promise<string> {
  const dictionary = Buffer.from(emptyPage(deps));
  return (await compressSmall(JSON.stringify(answer), { dictionary, level: 9 })).toString('base64url');
}

/** Null if another release has packed it. */
async function unpackFromCookie(deps: PageDeps, text: string): Promise<KeptAnswer | null> {
  const dictionary = Buffer.from(emptyPage(deps));
  const packed = Buffer.from(text, 'base64url');
  const page = await decompressSmall(packed, { dictionary }).catch(() => null);
  return page === null ? null : JSON.parse(page.toString());
}
