import type { Request, RequestHandler, Response, Router } from 'express';
import { formGuard, hasValidToken, type LargeForm } from './form-guard.js';
import { markPage } from './form-page.js';
import { keepAnswers, showKeptAnswer } from './kept-answer.js';
import { type KeptForm, keepExpiredForm } from './kept-form.js';
import type { PageDeps } from './page-deps.js';
import { PageError } from './page-error.js';
import type { SetHeaders } from './page-headers.js';
import { countVisits } from './visit-limits.js';

export type PageHandler = (request: Request, response: Response) => Promise<void> | void;

/** One address and its handlers. `get` changes nothing. `post` gets only forms that the guard accepted. */
export interface Page {
  readonly path: string;
  /** Replaces the usual headers. */
  readonly headers?: SetHeaders;
  readonly get?: PageHandler;
  readonly post?: PageHandler;
  /** Also answers clients that accept no HTML. Such a page counts its visits itself. */
  readonly isForPrograms?: boolean;
  /** For a form with a long text. */
  readonly largeForm?: LargeForm;
  /** For a form that is given back if it has expired. */
  readonly keptForm?: KeptForm;
  /** For a form that anyone may send: shows it again if it has expired. */
  readonly expired?: PageHandler;
}

/** Adds a page to the router, with the rules of every page. */
export function addPage(
  router: Router,
  deps: PageDeps,
  { path, headers = deps.setHeaders, get, post, isForPrograms = false, largeForm, keptForm, expired }: Page,
): void {
  const route = router.route(path);
  if (!isForPrograms) route.all(forBrowsers);
  route.all((request, response, next) => {
    headers(request, response);
    // A page does not repeat the secret in its address.
    if (get !== undefined && !path.includes(':token')) markPage(request);
    next();
  });
  if (post !== undefined) route.post(keepAnswers(deps));
  if (!isForPrograms) route.all(countVisits(deps));
  if (post !== undefined) route.all(showKeptAnswer(deps, { hasPage: get !== undefined }));
  if (get !== undefined) route.get((request, response) => get(request, response));
  if (post !== undefined) {
    const onExpired = keptForm === undefined ? showExpired(deps, expired) : keepExpiredForm(deps, keptForm);
    const guard = formGuard(deps, {
      ...(largeForm && { large: largeForm }),
      ...(onExpired && { onExpired }),
    });
    route.post(...guard, (request, response) => post(request, response));
  }

  const allowed = [...(get === undefined ? [] : ['GET', 'HEAD']), ...(post === undefined ? [] : ['POST'])];
  route.all(rejectOtherMethods(allowed));
}

/** Refuses all other methods. Otherwise Express would answer OPTIONS itself, without the usual headers. */
export function rejectOtherMethods(allowed: readonly string[]): RequestHandler {
  return (request, response, next) => {
    if (request.accepts('html') === false) return next('router');
    response.set('Allow', allowed.join(', '));
    throw new PageError('method-not-allowed');
  };
}

function showExpired(deps: PageDeps, expired: PageHandler | undefined): RequestHandler | undefined {
  return (
    expired &&
    ((request, response, next) => {
      const isExpired = !hasValidToken(deps, request) && deps.address.matchesHost(request.host ?? '');
      return isExpired ? expired(request, response) : next();
    })
  );
}

/** Leaves clients that accept no HTML to the next router. */
const forBrowsers: RequestHandler = (request, _response, next) => {
  if (request.accepts('html') === false) next('router');
  else next();
};
