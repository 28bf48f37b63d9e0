import type { RequestHandler, Router } from 'express';
import { countVisits } from './count-visit.js';
import { formGuard, hasValidToken } from './form-guard.js';
import { markPage } from './form-page.js';
import { giveBackForm } from './kept-form.js';
import type { Page, PageHandler } from './page.js';
import type { PageDeps } from './page-deps.js';
import { PageError } from './page-error.js';

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
  if (!isForPrograms) route.all(countVisits(deps));
  if (get !== undefined) route.get((request, response) => get(request, response));
  if (post !== undefined) {
    const show = keptForm?.show ?? get;
    const onExpired =
      keptForm === undefined || show === undefined
        ? showExpired(deps, expired)
        : giveBackForm(deps, { ...keptForm, show });
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
