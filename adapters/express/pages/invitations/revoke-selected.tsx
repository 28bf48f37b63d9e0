import { setNotice } from '../design/notice.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { actorOf, requireMember } from '../visit.js';
import { askAboutSelected } from './ask-about-selected.js';
import { invitationsPath } from './invitation-paths.js';
import { changeSelected, countOf } from './selected-invitations.js';

/** Ends the links of all selected invitations, after asking. */
export function revokeSelected(deps: PageDeps): Page {
  return {
    path: '/organizations/:id/invitations/selected/revoke',
    get: askAboutSelected(deps, {
      action: 'revoke',
      verb: 'Revoke',
      kind: 'destructive',
      isAllowed: ({ state }) => state === 'pending',
      consequence: 'Their links stop working at once. Anyone who opens one will see that it was revoked.',
    }),
    post: requireMember(deps, { role: 'admin', section: 'invitations' }, async (visit) => {
      const { organization, request, response } = visit;
      const by = actorOf(visit);
      const { changed, total } = await changeSelected(request, (invitationId) =>
        deps.core.revokeInvitation({ organization, invitationId, by }),
      );
      const notice = changed.length === total ? 'invitations-revoked' : 'some-invitations-revoked';
      setNotice(deps, response, notice, countOf(changed.length, total));
      response.redirect(303, invitationsPath(organization.id));
    }),
  };
}
