import type { Session, User } from '@rollcall/core';
import type { Request } from 'express';
import type { ErrorLink, ErrorPage } from './error-page.js';
import { pagePath } from './form-page.js';
import type { PageDeps } from './page-deps.js';
import { sectionPath } from './section-path.js';
import { currentSession, myMeetingsPath, signInPath } from './session.js';

/** What the reader of an error page can do now. */
export interface NextSteps {
  readonly advice: string;
  readonly primary?: ErrorLink | undefined;
  readonly secondary?: ErrorLink;
  /** The reader, where the steps depend on who that is. */
  readonly reader?: Pick<User, 'firstName' | 'lastName'>;
}

export async function nextSteps(deps: PageDeps, request: Request, page: ErrorPage): Promise<NextSteps> {
  const { advice, link, next = 'link' } = page;
  if (next === 'link') return { advice, primary: link ?? backLink(request) };
  if (next === 'retry') return { advice, primary: retryLink(request) ?? backLink(request) ?? link };
  if (next === 'section') return { advice, primary: sectionLink(request) };
  if (next === 'form') return { advice, primary: formLink(request) ?? link };

  const session = await currentSession(deps, request).catch(() => null);
  const signIn = { path: signInPath(request), text: 'Sign in with your password' };
  if (session === null) return { advice, primary: signIn };
  const reader = session.user;
  const meetings = { path: await meetingsPath(deps, session), text: 'Go to my meetings' };
  if (next === 'password') return { advice, primary: signIn, secondary: meetings, reader };
  // After signing in with the password, there is nothing to sign in to.
  const secondary = session.boundTo === null ? {} : { secondary: signIn };
  return { advice: page.adviceSignedIn ?? advice, primary: meetings, ...secondary, reader };
}

/** The page with the form that was sent, or the section of an organization in which the request was made. */
function backLink(request: Request): ErrorLink | undefined {
  const path = request.method === 'POST' ? pagePath(request) : null;
  return path === null ? sectionLink(request) : { path, text: 'Go back' };
}

function sectionLink({ path }: Request): ErrorLink | undefined {
  const section = sectionPath(path);
  return section === null ? undefined : { path: section, text: 'Go back' };
}

/** Opens the page again, which may work now. A link can't send a form again. */
function retryLink({ method }: Request): ErrorLink | undefined {
  // Empty, so that the page neither repeats a secret in its address nor can be led to another host.
  return method === 'POST' ? undefined : { path: '', text: 'Try again' };
}

function formLink(request: Request): ErrorLink | undefined {
  const path = pagePath(request);
  return path === null ? backLink(request) : { path, text: 'Open the page again' };
}

/** The meetings with the only organization, or the list of organizations. */
export async function meetingsPath({ core }: PageDeps, { user, boundTo }: Session): Promise<string> {
  if (boundTo !== null) return myMeetingsPath(boundTo);
  const [only, ...others] = await core.listMemberships({ userId: user.id }).catch(() => []);
  return only === undefined || others.length > 0 ? '/meetings' : myMeetingsPath(only.organization.id);
}
