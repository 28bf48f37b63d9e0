import { Refusal, type Session, Unavailable, type User } from '@rollcall/core';
import type { NextFunction, Request } from 'express';
import { frameOf } from '../access.js';
import { ButtonLink, type PageLink } from '../design/components.js';
import { Operator } from '../design/operator.js';
import {
  organizationIn,
  organizationOfSignIn,
  pathAfterSignIn,
  paths,
  sectionPath,
  signInPath,
  withQuery,
} from '../paths.js';
import type { Visit } from '../visit.js';
import { type ErrorPage, errorPage, PageError, problemPages, retryAfter } from './error-page.js';

/** Answers an error of a page. Only bugs and unavailable services are reported, not what others do wrong. */
export async function answerError(visit: Visit, error: unknown, next: NextFunction): Promise<void> {
  const { request, response } = visit;
  if (response.headersSent || request.accepts('html') === false) return next(error);
  const page = wrongAddressPage(visit, error) ?? errorPage(error);
  const { status } = page;
  const seconds = retryAfter(error);
  if (status >= 500 && !(error instanceof Refusal)) report(visit, error);
  if (seconds !== null) response.set('Retry-After', String(seconds));
  visit.setHeaders.page(request, response);
  const requestId = requestIdOf(visit);
  const { title = page.title, primary, secondary, reader, advice } = await nextSteps(visit, page);
  // Does not look up the reader when the service is unavailable or over its limit.
  const isOverloaded = status >= 500 || status === 429;
  if (!isOverloaded) visit.frame = await frameOf(visit);
  visit.showCard(
    { mayReload: false, status, title },
    <p>{advice}</p>,
    reader && (
      <p>
        You are signed in as <bdi>{`${reader.firstName} ${reader.lastName}`}</bdi>.
      </p>
    ),
    primary && (
      <div class="actions">
        <ButtonLink kind="primary" {...primary} />
        {secondary && <ButtonLink {...secondary} />}
      </div>
    ),
    visit.supportUrl !== null && (
      <p class="fine-print">
        Need help? Contact <Operator visit={visit}>the people who run {visit.serviceName}</Operator>
        {requestId !== null && ', with the request ID below'}.
      </p>
    ),
    requestId !== null && (
      <p class="fine-print">
        Request ID <code>{requestId}</code>
      </p>
    ),
  );
}

/** Forms are accepted only at `PUBLIC_URL`. Readers who opened the service at another address are redirected there. */
function wrongAddressPage({ address, request: { host } }: Visit, error: unknown): ErrorPage | null {
  const isOriginProblem =
    error instanceof PageError && ['cross-origin-form', 'expired-form'].includes(error.problem);
  if (!isOriginProblem || address.matchesHost(host ?? '')) return null;
  const { url } = address;
  return {
    ...problemPages['cross-origin-form'],
    title: 'This service is at another address',
    advice: `Nothing was changed. Forms are accepted only at the address of this service, its PUBLIC_URL: ${url}.`,
    link: { href: `${url}/`, text: `Go to ${url}` },
  };
}

function report({ errorTracker, request, response }: Visit, error: unknown): void {
  // The route instead of the address, which may contain a token.
  const operation = `${request.method} ${request.route?.path ?? 'page'}`;
  const severity = error instanceof Unavailable ? 'info' : 'error';
  errorTracker.report(error, { severity, operation, requestId: requestIdOf({ response }) });
}

function requestIdOf({ response }: Pick<Visit, 'response'>): string | null {
  const id = response.getHeader('X-Request-Id');
  return id === undefined ? null : String(id);
}

/** What the reader of an error page can do now. */
interface NextSteps {
  /** Left out: that of the page. */
  readonly title?: string;
  readonly advice: string;
  readonly primary?: PageLink | undefined;
  readonly secondary?: PageLink;
  /** The reader, where the steps depend on who that is. */
  readonly reader?: Pick<User, 'firstName' | 'lastName'>;
}

async function nextSteps(visit: Visit, page: ErrorPage): Promise<NextSteps> {
  const { request, pagePath } = visit;
  const { advice, link, next = 'link' } = page;
  if (next === 'link') return { advice, primary: link ?? backLink(visit) };
  if (next === 'retry') return { advice, primary: retryLink(request) ?? backLink(visit) ?? link };
  if (next === 'section') return { advice, primary: sectionLink(request) };
  if (next === 'form') {
    const again = pagePath === null ? backLink(visit) : { href: pagePath, text: 'Open the page again' };
    return { advice, primary: again ?? link };
  }

  const signIn = { href: signInPath(visit), text: 'Sign in with your password' };
  if (next === 'sign-on') return signOnSteps(visit, { advice, signIn });
  const session = await visit.findSession().catch(() => null);
  if (session === null) return { advice, primary: signIn };
  const reader = session.user;
  const meetings = { href: await meetingsPath(visit, session), text: 'Go to my meetings' };
  if (next === 'password') {
    const adviceBy = page.adviceBy?.[session.startedBy] ?? advice;
    // Someone with a set-up link is not the owner whose session it is.
    if (session.startedBy === 'setup-link')
      return {
        title: 'Not with a set-up link',
        advice: adviceBy,
        primary: { href: paths.signOn(session.boundTo ?? 0), text: 'Go to sign-on' },
      };
    return { advice: adviceBy, primary: signIn, secondary: meetings, reader };
  }
  // After signing in with the password, there is nothing to sign in to.
  const secondary = session.boundTo === null ? {} : { secondary: signIn };
  return { advice: page.adviceSignedIn ?? advice, primary: meetings, ...secondary, reader };
}

/** To the organization's sign-on, and back to the page that was asked for. Another way in is the password. */
function signOnSteps(
  { request: { path, url, method } }: Visit,
  { advice, signIn }: { readonly advice: string; readonly signIn: PageLink },
): NextSteps {
  const inside = organizationIn(path);
  const organization = inside ?? organizationOfSignIn(path);
  if (organization === null) return { advice, primary: signIn };
  const next = inside === null ? null : pathAfterSignIn(method === 'GET' ? url : sectionPath(path));
  const address = withQuery(paths.organizationSignIn(organization), next === null ? {} : { next });
  const primary = { href: address, text: 'Sign in at your organization' };
  // Who is inside has given the password already.
  return inside === null ? { advice, primary, secondary: signIn } : { advice, primary };
}

/** The page with the form that was sent, or the section of an organization in which the request was made. */
function backLink({ request, pagePath }: Visit): PageLink | undefined {
  const isForm = request.method === 'POST' && pagePath !== null;
  return isForm ? { href: pagePath, text: 'Go back' } : sectionLink(request);
}

function sectionLink({ path }: Request): PageLink | undefined {
  const section = sectionPath(path);
  return section === null ? undefined : { href: section, text: 'Go back' };
}

/** Opens the page again, which may work now. A link can't send a form again. */
function retryLink({ method }: Request): PageLink | undefined {
  // Empty, so that the page neither repeats a secret in its address nor can be led to another host.
  return method === 'POST' ? undefined : { href: '', text: 'Try again' };
}

/** The meetings with the only organization, or the list of organizations. */
export async function meetingsPath({ core }: Visit, { user, boundTo }: Session): Promise<string> {
  if (boundTo !== null) return paths.meetings(boundTo);
  const [only, ...others] = await core.listMemberships({ userId: user.id }).catch(() => []);
  return only === undefined || others.length > 0 ? paths.memberships : paths.meetings(only.organization.id);
}
