import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { requireSignIn } from '../session.js';

/** Prolongs the session, like any page, for the warning before it ends. The header has the milliseconds until its end. */
export function resumeSession(deps: PageDeps): Page {
  return {
    path: '/session',
    get: requireSignIn(deps, async ({ endsInMs }, _request, response) => {
      response.set('X-Session-Ends-In', String(endsInMs)).status(204).end();
    }),
  };
}
