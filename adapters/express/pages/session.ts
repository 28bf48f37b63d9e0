import type { CreatedSession, ResumedSession, Session } from '@rollcall/core';
import type { Request, Response } from 'express';
import type { PageHandler } from './page.js';
import type { PageDeps } from './page-deps.js';

const sessions = new WeakMap<Request, Promise<ResumedSession | null>>();

/** The session of the request, or null. Looked up once per request. */
export function currentSession(
  { core, cookies }: PageDeps,
  request: Request,
): Promise<ResumedSession | null> {
  const known = sessions.get(request);
  if (known !== undefined) return known;
  const found = core.resumeSession({ session: cookies.read(request, 'session') });
  sessions.set(request, found);
  return found;
}

/** A page for people who are signed in. Others are redirected to the sign-in page, and back afterwards. */
export function requireSignIn(
  deps: PageDeps,
  handle: (session: ResumedSession, request: Request, response: Response) => Promise<void>,
): PageHandler {
  return async (request, response) => {
    const session = await currentSession(deps, request);
    if (session === null) return response.redirect(303, signInPath(request));
    await handle(session, request, response);
  };
}

/**
 * Gives the browser a new session and ends its old one. The cookie is set first, so that the reader stays signed
 * in even if ending the old session fails.
 */
export async function startSession(
  { core, cookies }: PageDeps,
  request: Request,
  response: Response,
  { session }: CreatedSession,
): Promise<void> {
  const before = cookies.read(request, 'session');
  cookies.set(response, { name: 'session', value: session.reveal() });
  if (before !== null) await core.signOut({ session: before });
}

/** The member's page in an organization. */
export function myMeetingsPath(organizationId: number): string {
  return `/organizations/${organizationId}/meetings`;
}

/** The first page of a session, unless another one was requested. */
export function startPath({ boundTo }: Pick<Session, 'boundTo'>): string {
  return boundTo === null ? '/meetings' : myMeetingsPath(boundTo);
}

/**
 * The paths that signing in may lead to. All belong to the service, so that no link can lead to another site. A query
 * has no line breaks.
 */
const AFTER_SIGN_IN =
  /^\/(?:(?:meetings|account|account\/sessions)(?:\?page=\d{1,10})?|organizations\/[1-9]\d{0,15}(?:\/[a-z0-9-]{1,40}){0,3}(?:\?(?!.*%(?:[01][\da-fA-F]|7[fF]))[\w.~%=&+[\]:,-]{1,2000})?)$/;

/** Returns the path if signing in may lead to it, otherwise null. */
export function pathAfterSignIn(path: unknown): string | null {
  return typeof path === 'string' && AFTER_SIGN_IN.test(path) ? path : null;
}

/** The requested page, or the page without its query. */
function returnPath({ url }: Request): string | null {
  const path = withoutFile(url);
  return pathAfterSignIn(path) ?? pathAfterSignIn(path.split('?', 1)[0]);
}

/** A file belongs to the page above it in the path. */
function withoutFile(path: string): string {
  return path.replace(/\/[\w-]+\.[a-z]+(?:\?.*)?$/, '');
}

/** The sign-in page, which leads back to the requested page. */
export function signInPath(request: Request): string {
  const next = returnPath(request);
  return next === null ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`;
}
