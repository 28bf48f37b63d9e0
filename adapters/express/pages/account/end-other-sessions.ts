import { clientAddress } from '../client-address.js';
import { setNotice } from '../design/notice.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { SESSIONS_PATH } from './list-sessions.js';
import { requireAccount } from './require-account.js';

/** Signs the reader out of all their sessions but this one. */
export function endOtherSessions(deps: PageDeps): Page {
  const { core, cookies } = deps;
  return {
    path: `${SESSIONS_PATH}/sign-out-others`,
    post: requireAccount(deps, async (_session, request, response) => {
      const session = cookies.read(request, 'session');
      await core.endOtherSessions({ session, address: clientAddress(request) });
      setNotice(deps, response, 'other-sessions-ended');
      response.redirect(303, SESSIONS_PATH);
    }),
  };
}
