import type { Core, ErrorTracker } from '@rollcall/core';
import type { Request, RequestHandler, Response, Router } from 'express';
import type { AssetLinks } from './assets.js';
import type { Cookies } from './cookies.js';
import { PageError } from './errors.js';
import { formGuard } from './form-guard.js';
import type { SetHeaders } from './page-headers.js';
import type { PublicAddress } from './public-address.js';

/** The use-cases that the pages call. */
export type PagesCore = Pick<
  Core,
  | 'signIn'
  | 'signOut'
  | 'resumeSession'
  | 'openInvitation'
  | 'acceptInvitation'
  | 'openLoginLink'
  | 'redeemLoginLink'
  | 'listMemberships'
  | 'listOwnMeetings'
>;

/** Tokens against forged forms: each belongs to the value of one cookie and is worth nothing with another. */
export interface FormTokens {
  issue(cookieValue: string): string;
  matches(cookieValue: string, token: string): boolean;
}

/** What every page is given. */
export interface Dashboard {
  readonly core: PagesCore;
  readonly formTokens: FormTokens;
  readonly errorTracker: ErrorTracker;
  readonly serviceName: string;
  readonly address: PublicAddress;
  readonly cookies: Cookies;
  readonly assets: AssetLinks;
  readonly setHeaders: SetHeaders;
}

export type PageHandler = (request: Request, response: Response) => Promise<void> | void;

/** One address with what it answers. `get` changes nothing; `post` gets checked forms only. */
export interface Page {
  readonly path: string;
  readonly get?: PageHandler;
  readonly post?: PageHandler;
}

/** Puts a page into the router, with what holds for every page. */
export function addPage(router: Router, dashboard: Dashboard, { path, get, post }: Page): void {
  const route = router.route(path).all(forBrowsers, (request, response, next) => {
    dashboard.setHeaders(request, response);
    next();
  });
  if (get !== undefined) route.get((request, response) => get(request, response));
  if (post !== undefined) route.post(...formGuard(dashboard), (request, response) => post(request, response));

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
