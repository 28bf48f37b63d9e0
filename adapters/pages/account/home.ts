import type { Dashboard } from '../dashboard.js';
import type { Page } from '../page.js';
import { currentSession } from '../session.js';

/** Redirects to the meetings, or to the sign-in page. */
export function home(dashboard: Dashboard): Page {
  return {
    path: '/',
    async get(request, response) {
      const session = await currentSession(dashboard, request);
      response.redirect(303, session === null ? '/sign-in' : '/meetings');
    },
  };
}
