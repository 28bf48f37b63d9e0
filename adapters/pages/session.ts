import { type CreatedSession, readAddress, type Session } from '@rollcall/core';
import type { Request, Response } from 'express';
import type { Dashboard } from './dashboard.js';
import type { PageHandler } from './page.js';

const sessions = new WeakMap<Request, Promise<Session | null>>();

/** The session of whoever asks, or null; looked up once a request. */
export function currentSession({ core, cookies }: Dashboard, request: Request): Promise<Session | null> {
  const known = sessions.get(request);
  if (known !== undefined) return known;
  const found = core.resumeSession({ session: cookies.read(request, 'session') });
  sessions.set(request, found);
  return found;
}

/** A page for people who are signed in; anybody else is led to the sign-in page, and back afterwards. */
export function signedIn(
  dashboard: Dashboard,
  handle: (session: Session, request: Request, response: Response) => Promise<void>,
): PageHandler {
  return async (request, response) => {
    const session = await currentSession(dashboard, request);
    if (session === null) return response.redirect(303, signInPath(request));
    await handle(session, request, response);
  };
}

/**
 * Gives the browser the new session in the place of the one it had, which ends. The cookie is set first, so
 * that somebody who was signed in stays so when ending the old session fails.
 */
export async function startSession(
  { core, cookies }: Dashboard,
  request: Request,
  response: Response,
  { session }: CreatedSession,
): Promise<void> {
  const before = cookies.read(request, 'session');
  cookies.set(response, { name: 'session', value: session.reveal() });
  if (before !== null) await core.signOut({ session: before });
}

/** The member's page in an organization. */
export function memberPath(organizationId: number): string {
  return `/organizations/${organizationId}/meetings`;
}

/** Where an opened session leads when nothing else was asked for. */
export function startPath({ boundTo }: Pick<Session, 'boundTo'>): string {
  return boundTo === null ? '/meetings' : memberPath(boundTo);
}

/** What signing in may lead to: nothing but paths of ours, so that no link can send people elsewhere. */
const AFTER_SIGN_IN =
  /^\/(?:meetings|account|organizations\/[1-9]\d{0,15}(?:\/[a-z0-9-]{1,40}){0,3})(?:\?(?:state=[a-z]{1,10}|(?:state=[a-z]{1,10}&)?page=\d{1,10}))?$/;

/** The path itself when signing in may lead to it, else null. */
export function pathAfterSignIn(path: unknown): string | null {
  return typeof path === 'string' && AFTER_SIGN_IN.test(path) ? path : null;
}

/** The page itself, else without what chose among what it shows. */
function pathBack({ url }: Request): string | null {
  const path = withoutFile(url);
  return pathAfterSignIn(path) ?? pathAfterSignIn(path.split('?', 1)[0]);
}

/** Files are linked from the page that their address lies below. */
function withoutFile(path: string): string {
  return path.replace(/\/[\w-]+\.[a-z]+(?:\?.*)?$/, '');
}

/** The sign-in page, which leads back to where the request went. */
export function signInPath(request: Request): string {
  const next = pathBack(request);
  return next === null ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`;
}

/** The IP address that the request comes from, without a port; empty where there is none. */
export function addressOf(request: Request): string {
  return readAddress(request.ip ?? '') ?? '';
}
