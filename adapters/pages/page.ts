import type { Request, RequestHandler, Response, Router } from 'express';
import type { Dashboard } from './dashboard.js';
import { formGuard, type LargeForm } from './form-guard.js';
import { PageError } from './page-error.js';
import type { SetHeaders } from './page-headers.js';
import { countVisits } from './visit-limits.js';

export type PageHandler = (request: Request, response: Response) => Promise<void> | void;

/** One address with what it answers. `get` changes nothing; `post` gets checked forms only. */
export interface Page {
  readonly path: string;
  /** In the place of those that every page has. */
  readonly headers?: SetHeaders;
  readonly get?: PageHandler;
  readonly post?: PageHandler;
  /** Whether also whoever reads no HTML is answered. It counts its visits itself. */
  readonly isForPrograms?: boolean;
  /** Where a text of many lines is asked for. */
  readonly largeForm?: LargeForm;
}

/** Puts a page into the router, with what holds for every page. */
export function addPage(
  router: Router,
  dashboard: Dashboard,
  { path, headers = dashboard.setHeaders, get, post, isForPrograms = false, largeForm }: Page,
): void {
  const route = router.route(path);
  if (!isForPrograms) route.all(forBrowsers);
  route.all((request, response, next) => {
    headers(request, response);
    next();
  });
  if (!isForPrograms) route.all(countVisits(dashboard));
  if (get !== undefined) route.get((request, response) => get(request, response));
  if (post !== undefined)
    route.post(...formGuard(dashboard, largeForm), (request, response) => post(request, response));

  const allowed = [...(get === undefined ? [] : ['GET', 'HEAD']), ...(post === undefined ? [] : ['POST'])];
  route.all(refuseOthers(allowed));
}

/** Answers every method but these; without it Express would answer OPTIONS by itself, with nothing of ours. */
export function refuseOthers(allowed: readonly string[]): RequestHandler {
  return (request, response, next) => {
    if (request.accepts('html') === false) return next('router');
    response.set('Allow', allowed.join(', '));
    throw new PageError('method-not-allowed');
  };
}

/** Whoever reads no HTML is not answered by the pages. */
const forBrowsers: RequestHandler = (request, _response, next) => {
  if (request.accepts('html') === false) next('router');
  else next();
};
