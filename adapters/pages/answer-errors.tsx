import { Unavailable } from '@rollcall/core';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import type { Dashboard } from './dashboard.js';
import { show } from './design/layout.js';
import { type AnsweredError, type ErrorPage, errorPage, notFound, problemPages } from './error-page.js';
import { PageError } from './page-error.js';

/** Answers every error of the pages. Only bugs and unavailable services are reported. */
export function answerErrors(dashboard: Dashboard): ErrorRequestHandler {
  return (error, request, response, next) => {
    if (response.headersSent || request.accepts('html') === false) return next(error);
    const { page, retryAfter } = refusedForm(dashboard, request, error) ?? errorPage(error);
    if (page.status >= 500) report(dashboard, { error, request, response });
    if (retryAfter !== null) response.set('Retry-After', String(retryAfter));
    showError(dashboard, request, response, page);
  };
}

/** Handles an unknown address. People get a page; requests of programs go to the next handler. */
export function answerUnknown(dashboard: Dashboard): RequestHandler {
  return (request, response, next) => {
    if (request.accepts(['json', 'html']) !== 'html') return next('router');
    showError(dashboard, request, response, notFound);
  };
}

/** Forms are accepted only at `PUBLIC_URL`. Readers who opened the service at another address are redirected there. */
function refusedForm({ address }: Dashboard, { host }: Request, error: unknown): AnsweredError | null {
  const isAboutOrigin = error instanceof PageError && ['foreign-form', 'stale-form'].includes(error.problem);
  if (!isAboutOrigin || address.isAskedAt(host ?? '')) return null;
  const { url } = address;
  const page = {
    ...problemPages['foreign-form'],
    title: 'This service is at another address',
    advice: `Nothing was changed. Forms are accepted only at the address of this service, its PUBLIC_URL: ${url}.`,
    link: { path: `${url}/`, text: `Go to ${url}` },
  };
  return { page, retryAfter: null };
}

function report(
  { errorTracker }: Dashboard,
  {
    error,
    request,
    response,
  }: { readonly error: unknown; readonly request: Request; readonly response: Response },
): void {
  // The route instead of the address, which may contain a token.
  const operation = `${request.method} ${request.route?.path ?? 'page'}`;
  const severity = error instanceof Unavailable ? 'info' : 'error';
  errorTracker.report(error, { severity, operation, requestId: requestIdOf(response) });
}

function requestIdOf(response: Response): string | null {
  const id = response.getHeader('X-Request-Id');
  return id === undefined ? null : String(id);
}

/** The section of an organization in which the request was made. */
function backLink({ path }: Request): ErrorPage['link'] {
  const section =
    /^\/organizations\/[1-9]\d{0,15}(?:\/(?:meetings|export|invitations|webhooks|people))?(?=\/|$)/.exec(
      path,
    );
  return section === null ? undefined : { path: section[0], text: 'Go back' };
}

function showError(
  dashboard: Dashboard,
  request: Request,
  response: Response,
  { status, title, advice, link }: ErrorPage,
): void {
  dashboard.setHeaders(request, response);
  const requestId = requestIdOf(response);
  const next = link ?? backLink(request);
  show(dashboard, response, {
    status,
    title,
    body: (
      <section class="card narrow">
        <h1>{title}</h1>
        <p>{advice}</p>
        {next && (
          <p>
            <a href={typeof next.path === 'string' ? next.path : next.path(request)}>{next.text}</a>
          </p>
        )}
        {requestId !== null && (
          <p class="fine-print">
            Request ID <code>{requestId}</code>
          </p>
        )}
      </section>
    ),
  });
}
