import type { Dashboard } from '../dashboard.js';
import { leaveNotice } from '../design/notice.js';
import type { Page } from '../page.js';

/** Ends the session, on the server and in the browser. */
export function signOut(dashboard: Dashboard): Page {
  const { core, cookies } = dashboard;
  return {
    path: '/sign-out',
    async post(request, response) {
      await core.signOut({ session: cookies.read(request, 'session') });
      cookies.clear(response, 'session');
      leaveNotice(dashboard, response, 'signed-out');
      response.redirect(303, '/sign-in');
    },
  };
}
