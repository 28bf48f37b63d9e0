import { setNotice } from '../design/notice.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';

/** Ends the session, on the server and in the browser. */
export function signOut(deps: PageDeps): Page {
  const { core, cookies } = deps;
  return {
    path: '/sign-out',
    async post(request, response) {
      await core.signOut({ session: cookies.read(request, 'session') });
      cookies.clear(response, 'session');
      setNotice(deps, response, 'signed-out');
      response.redirect(303, '/sign-in');
    },
  };
}
