import { Unavailable } from '@rollcall/core';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { countVisit } from './count-visit.js';
import { ButtonLink } from './design/button.js';
import { showPage } from './design/layout.js';
import { type ErrorAnswer, type ErrorPage, errorPage, notFound, problemPages } from './error-page.js';
import { frameOf, knownFrame } from './frame-of.js';
import { nextSteps } from './next-steps.js';
import type { PageDeps } from './page-deps.js';
import { PageError } from './page-error.js';

/** Answers every error of the pages. Only bugs and unavailable services are reported. */
export function answerErrors(deps: PageDeps): ErrorRequestHandler {
  return (error, request, response, next) => {
    if (response.headersSent || request.accepts('html') === false) return next(error);
    const { page, retryAfter } = wrongAddressPage(deps, request, error) ?? errorPage(error);
    if (page.status >= 500) report(deps, { error, request, response });
    if (retryAfter !== null) response.set('Retry-After', String(retryAfter));
    return showError(deps, request, response, page);
  };
}

/** Handles an unknown address. People get a page; requests of programs go to the next handler. */
export function answerUnknown(deps: PageDeps): RequestHandler {
  return async (request, response, next) => {
    if (request.accepts(['json', 'html']) !== 'html') return next('router');
    await countVisit(deps, request);
    await showError(deps, request, response, notFound);
  };
}

/** Forms are accepted only at `PUBLIC_URL`. Readers who opened the service at another address are redirected there. */
function wrongAddressPage({ address }: PageDeps, { host }: Request, error: unknown): ErrorAnswer | null {
  const isOriginProblem =
    error instanceof PageError && ['cross-origin-form', 'expired-form'].includes(error.problem);
  if (!isOriginProblem || address.matchesHost(host ?? '')) return null;
  const { url } = address;
  const page = {
    ...problemPages['cross-origin-form'],
    title: 'This service is at another address',
    advice: `Nothing was changed. Forms are accepted only at the address of this service, its PUBLIC_URL: ${url}.`,
    link: { path: `${url}/`, text: `Go to ${url}` },
  };
  return { page, retryAfter: null };
}

function report(
  { errorTracker }: PageDeps,
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

async function showError(
  deps: PageDeps,
  request: Request,
  response: Response,
  page: ErrorPage,
): Promise<void> {
  const { status, title } = page;
  deps.setHeaders(request, response);
  const requestId = requestIdOf(response);
  const { primary, secondary, reader, advice } = await nextSteps(deps, request, page);
  // Does not look up the reader when the service is unavailable or over its limit.
  const isOverloaded = status >= 500 || status === 429;
  const frame = isOverloaded ? (knownFrame(request) ?? {}) : await frameOf(deps, request, response);
  showPage(deps, response, {
    ...frame,
    status,
    title,
    body: (
      <section class="card narrow">
        <h1>{title}</h1>
        <p>{advice}</p>
        {reader && (
          <p>
            You are signed in as <bdi>{`${reader.firstName} ${reader.lastName}`}</bdi>.
          </p>
        )}
        {primary && (
          <div class="actions">
            <ButtonLink kind="primary" href={primary.path}>
              {primary.text}
            </ButtonLink>
            {secondary && (
              <ButtonLink kind="secondary" href={secondary.path}>
                {secondary.text}
              </ButtonLink>
            )}
          </div>
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
