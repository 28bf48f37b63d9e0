import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { currentSession } from '../session.js';

/** Redirects to the meetings, or to the sign-in page. */
export function home(deps: PageDeps): Page {
  return {
    path: '/',
    async get(request, response) {
      const session = await currentSession(deps, request);
      response.redirect(303, session === null ? '/sign-in' : '/meetings');
    },
  };
}
