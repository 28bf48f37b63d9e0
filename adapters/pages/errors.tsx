import { Refusal, type RefusalCode, Unavailable } from '@rollcall/core';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import type { Dashboard } from './dashboard.js';
import { show } from './design/layout.js';
import { PageError, type PageProblem } from './page-error.js';
import { signInPath } from './session.js';

interface ErrorPage {
  readonly status: number;
  readonly title: string;
  /** What the reader can do now. */
  readonly advice: string;
  readonly link?: { readonly path: string | ((request: Request) => string); readonly text: string };
}

const toSignIn = { path: '/sign-in', text: 'Sign in with your password' };
const toStart = { path: '/', text: 'Go to the start page' };

const notFound: ErrorPage = {
  status: 404,
  title: 'There is nothing here',
  advice: 'The address may be misspelled, or you may not be allowed to see what it shows.',
  link: toStart,
};

const invalid: ErrorPage = {
  status: 422,
  title: 'This can’t be done as asked',
  advice: 'Go back and look at what you entered.',
};

const unauthorized: ErrorPage = {
  status: 401,
  title: 'Please sign in',
  advice: 'This needs somebody who is signed in.',
  link: toSignIn,
};

const boundSession: ErrorPage = {
  status: 403,
  title: 'Please sign in with your password',
  advice:
    'A login link opens your meetings with one organization only. For everything else sign in with your e-mail address and your password.',
  link: { ...toSignIn, path: signInPath },
};

const crashed: ErrorPage = {
  status: 500,
  title: 'Something went wrong',
  advice: 'It is our mistake, and it was reported. Please try again later.',
  link: toStart,
};

const away: ErrorPage = {
  status: 503,
  title: 'We can’t answer right now',
  advice: 'Please try again in a moment.',
};

const refusalPages: Record<RefusalCode, ErrorPage> = {
  'invalid-access-key': unauthorized,
  'unauthorized-access': unauthorized,
  'not-authorized': unauthorized,
  'invalid-request': invalid,
  'invalid-webhook': invalid,
  'already-member': {
    status: 409,
    title: 'You are a member already',
    advice: 'There is nothing left to accept: sign in to see your meetings.',
    link: toSignIn,
  },
  'member-not-found': notFound,
  'user-not-found': notFound,
  'organization-not-found': notFound,
  'delivery-not-found': notFound,
  'calendar-feed-unknown': {
    status: 404,
    title: 'This calendar does not exist',
    advice: 'Its address may have been revoked, or a new one may have taken its place. Sign in to make one.',
    link: toSignIn,
  },
  'meeting-not-found': notFound,
  'invitation-pending': {
    status: 409,
    title: 'The invitation is not accepted yet',
    advice: 'Accept the invitation first.',
  },
  'invitation-unknown': {
    status: 404,
    title: 'This invitation does not exist',
    advice:
      'Check that you copied the whole address, or ask the person who invited you for a new invitation.',
  },
  'invitation-used': {
    status: 410,
    title: 'This invitation was accepted already',
    advice: 'If that was you, sign in to see your meetings. If not, ask the person who invited you.',
    link: toSignIn,
  },
  'invitation-revoked': {
    status: 410,
    title: 'This invitation was revoked',
    advice: 'It can’t be accepted any more. Ask the person who invited you for a new one.',
  },
  'sign-in-required': {
    status: 422,
    title: 'There is an account with this address',
    advice: 'Open the invitation again and accept it with the password of that account.',
  },
  'login-link-unknown': {
    status: 404,
    title: 'This login link does not exist',
    advice: 'Check that you copied the whole address, or ask for a new link where you got this one.',
    link: toSignIn,
  },
  'login-link-used': {
    status: 410,
    title: 'This login link was used already',
    advice: 'Each link signs in once. Ask for a new one where you got this one.',
    link: toSignIn,
  },
  'login-link-expired': {
    status: 410,
    title: 'This login link has expired',
    advice: 'A link works for five minutes. Ask for a new one where you got this one.',
    link: toSignIn,
  },
  'wrong-credentials': {
    status: 422,
    title: 'The e-mail address or the password is wrong',
    advice: 'Please try again.',
    link: toSignIn,
  },
  'role-too-low': notFound,
  'session-bound': boundSession,
  'last-owner': {
    status: 409,
    title: 'This is the last owner',
    advice: 'Nothing was changed: an organization needs an owner. Make somebody else one first.',
  },
  'access-key-outdated': {
    status: 409,
    title: 'This was done already',
    advice:
      'Nothing was changed. The access key was replaced since you opened the page that asks; a key is shown once, in the answer that made it. If nobody has it, open the organization’s page and replace it again.',
    link: toStart,
  },
  'webhook-outdated': {
    status: 409,
    title: 'This was done already',
    advice:
      'Nothing was changed. The webhook was changed since you opened the page that asks; a secret is shown once, in the answer that made it. If nobody has it, open the webhook’s page and regenerate it again.',
    link: toStart,
  },
  'webhook-test-under-way': {
    status: 409,
    title: 'A test is under way already',
    advice: 'It ends within 16 seconds: look again at the webhook’s page.',
  },
  'too-many-requests': {
    status: 429,
    title: 'Too many attempts',
    advice: 'Please wait a little.',
  },
};

const problemPages: Record<PageProblem, ErrorPage> = {
  'not-found': notFound,
  'method-not-allowed': {
    status: 405,
    title: 'This page can’t be asked that way',
    advice: 'Open it from the start page.',
    link: toStart,
  },
  'malformed-form': {
    status: 400,
    title: 'This form can’t be read',
    advice: 'Open the page again and fill in the form.',
    link: toStart,
  },
  'unsupported-form': {
    status: 415,
    title: 'This form can’t be read',
    advice: 'Forms are read as application/x-www-form-urlencoded only.',
    link: toStart,
  },
  'form-too-large': {
    status: 413,
    title: 'This form is too large',
    advice: 'Nothing was changed. Shorten what you entered, or send it in several parts.',
  },
  'foreign-form': {
    status: 403,
    title: 'This form was sent from elsewhere',
    advice:
      'Nothing was changed. Forms are accepted from our own pages only: open the page here and try again.',
    link: toStart,
  },
  'stale-form': {
    status: 403,
    title: 'This form has expired',
    advice:
      'Nothing was changed. You may have signed in or out since you opened it: open the page again and send it once more.',
    link: toStart,
  },
  'bound-session': boundSession,
  'too-many-visits': {
    status: 429,
    title: 'Too many requests',
    advice: 'You opened many pages in a short time. Please wait a minute, then try again.',
  },
};

/** Which page an error leads to, and whether it is one that somebody has to look at. */
function errorPage(error: unknown): { readonly page: ErrorPage; readonly retryAfter: number | null } {
  if (error instanceof PageError) return { page: problemPages[error.problem], retryAfter: error.retryAfter };
  if (error instanceof Refusal) return refusalPage(error);
  if (error instanceof Unavailable) return { page: away, retryAfter: error.retryAfter };
  return { page: requestErrorPage(error) ?? crashed, retryAfter: null };
}

/** At an address that is not ours no form is ever accepted: whoever is there has to be sent to the one that is. */
function refusedForm(
  { address }: Dashboard,
  { host }: Request,
  error: unknown,
): ReturnType<typeof errorPage> | null {
  const isAboutOrigin = error instanceof PageError && ['foreign-form', 'stale-form'].includes(error.problem);
  if (!isAboutOrigin || address.isAskedAt(host ?? '')) return null;
  const { url } = address;
  const page = {
    ...problemPages['foreign-form'],
    title: 'This service is at another address',
    advice: `Nothing was changed. The address of this service, its PUBLIC_URL, is ${url}, and forms are accepted there only.`,
    link: { path: `${url}/`, text: `Go to ${url}` },
  };
  return { page, retryAfter: null };
}

function refusalPage(refusal: Refusal): { readonly page: ErrorPage; readonly retryAfter: number | null } {
  const page = refusalPages[refusal.code];
  if (refusal.code !== 'too-many-requests') return { page, retryAfter: null };
  return { page: { ...page, advice: `${refusal.messages.join(' ')}.` }, retryAfter: refusal.retryAfter };
}

/** What Express and its body parser throw about a request carries a status; with a URIError it is the address. */
function requestErrorPage(error: unknown): ErrorPage | null {
  const status = error instanceof Error && 'status' in error ? error.status : null;
  if (typeof status !== 'number' || status < 400 || status >= 500) return null;
  if (error instanceof URIError) return notFound;
  if (status === 413) return problemPages['form-too-large'];
  return status === 415 ? problemPages['unsupported-form'] : problemPages['malformed-form'];
}

/** Answers every error of the pages; only bugs and services that are away are reported. */
export function answerErrors(dashboard: Dashboard): ErrorRequestHandler {
  return (error, request, response, next) => {
    if (response.headersSent || request.accepts('html') === false) return next(error);
    const { page, retryAfter } = refusedForm(dashboard, request, error) ?? errorPage(error);
    if (page.status >= 500) report(dashboard, { error, request, response });
    if (retryAfter !== null) response.set('Retry-After', String(retryAfter));
    showError(dashboard, request, response, page);
  };
}

/** An address that is no page: told to people as a page, left to whoever comes next for programs. */
export function answerUnknown(dashboard: Dashboard): RequestHandler {
  return (request, response, next) => {
    if (request.accepts(['json', 'html']) !== 'html') return next('router');
    showError(dashboard, request, response, notFound);
  };
}

function report(
  { errorTracker }: Dashboard,
  {
    error,
    request,
    response,
  }: { readonly error: unknown; readonly request: Request; readonly response: Response },
): void {
  // The route and not the address, which may hold a token.
  const operation = `${request.method} ${request.route?.path ?? 'page'}`;
  const severity = error instanceof Unavailable ? 'info' : 'error';
  errorTracker.report(error, { severity, operation, requestId: requestIdOf(response) });
}

function requestIdOf(response: Response): string | null {
  const id = response.getHeader('X-Request-Id');
  return id === undefined ? null : String(id);
}

/** The section of an organization in which the request was made. */
function wayBack({ path }: Request): ErrorPage['link'] {
  const section =
    /^\/organizations\/[1-9]\d{0,15}(?:\/(?:meetings|export|invitations|webhooks|people))?(?=\/|$)/.exec(
      path,
    );
  return section === null ? undefined : { path: section[0], text: 'Back to where you were' };
}

function showError(
  dashboard: Dashboard,
  request: Request,
  response: Response,
  { status, title, advice, link }: ErrorPage,
): void {
  dashboard.setHeaders(request, response);
  const requestId = requestIdOf(response);
  const way = link ?? wayBack(request);
  show(dashboard, response, {
    status,
    title,
    body: (
      <section class="card narrow">
        <h1>{title}</h1>
        <p>{advice}</p>
        {way && (
          <p>
            <a href={typeof way.path === 'string' ? way.path : way.path(request)}>{way.text}</a>
          </p>
        )}
        {requestId !== null && (
          <p class="fine-print">
            Request id <code>{requestId}</code>
          </p>
        )}
      </section>
    ),
  });
}
