import { Confirm } from '../design/components.js';
import { setNotice } from '../design/notice.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { actorOf, requireMember, showPageTo } from '../visit.js';
import { invitationsPath } from './invitation-paths.js';
import {
  changeSelected,
  countOf,
  idsField,
  selectedInvitations,
  selectedPath,
} from './selected-invitations.js';
import { SelectedList } from './selected-list.js';

/** Ends the links of all selected invitations, after asking. */
export function revokeSelected(deps: PageDeps): Page {
  return {
    path: '/organizations/:id/invitations/selected/revoke',
    get: requireMember(deps, { role: 'admin', section: 'invitations' }, async (visit) => {
      const { organization, response, signedIn } = visit;
      const selected = await selectedInvitations(deps, visit);
      const pending = selected.filter(({ state }) => state === 'pending');
      const list = invitationsPath(organization.id);
      if (pending.length === 0) {
        setNotice(deps, response, 'none-to-revoke');
        return response.redirect(303, list);
      }
      const question = `Revoke ${countOf(pending.length)}?`;
      showPageTo(visit, deps, {
        title: question,
        body: (
          <Confirm
            question={question}
            action={selectedPath(organization.id, 'revoke')}
            token={signedIn.formToken}
            fields={idsField(pending)}
            confirmLabel={`Revoke ${countOf(pending.length)}`}
            cancelPath={list}
          >
            <p>Their links stop working at once. Anyone who opens one will see that it was revoked.</p>
            <SelectedList invitations={pending} left={selected.length - pending.length} />
          </Confirm>
        ),
      });
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
