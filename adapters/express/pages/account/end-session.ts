import { clientAddress } from '../client-address.js';
import { setNotice } from '../design/notice.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { SESSIONS_PATH } from './list-sessions.js';
import { requireAccount } from './require-account.js';

/** Signs the reader out of one of their sessions. */
export function endSession(deps: PageDeps): Page {
  const { core, cookies } = deps;
  return {
    path: `${SESSIONS_PATH}/:session/sign-out`,
    post: requireAccount(deps, async (_session, request, response) => {
      const [session, id] = [cookies.read(request, 'session'), String(request.params.session)];
      await core.endSession({ session, id, address: clientAddress(request) });
      setNotice(deps, response, 'session-ended');
      response.redirect(303, SESSIONS_PATH);
    }),
  };
}
