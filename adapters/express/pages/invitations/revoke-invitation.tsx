import { Confirm } from '../design/components.js';
import { fieldOf } from '../form-guard.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { actorOf, requireMember, showPageTo } from '../visit.js';
import { invitationPath } from './invitation-paths.js';
import { changeInvitation, invitationOf, nameOf } from './read-invitation.js';

/** Ends an invitation's link, after asking. */
export function revokeInvitation(deps: PageDeps): Page {
  return {
    path: '/organizations/:id/invitations/:uuid/revoke',
    get: requireMember(deps, { role: 'admin', section: 'invitations' }, async (visit) => {
      const invitation = await invitationOf(deps, visit);
      const path = invitationPath(visit.organization.id, invitation.userUuid);
      if (invitation.state !== 'pending') return visit.response.redirect(303, path);
      showPageTo(visit, deps, {
        title: `Revoke the invitation for ${nameOf(invitation)}?`,
        body: (
          <Confirm
            question="Revoke this invitation?"
            action={`${path}/revoke`}
            token={visit.signedIn.formToken}
            fields={{ invitation: invitation.id }}
            confirmLabel="Revoke the invitation"
            cancelPath={path}
          >
            <p>
              The link for <bdi>{nameOf(invitation)}</bdi> (<bdi>{invitation.email}</bdi>) stops working at
              once. Anyone who opens it will see that the invitation was revoked.
            </p>
          </Confirm>
        ),
      });
    }),
    post: requireMember(deps, { role: 'admin', section: 'invitations' }, async (visit) => {
      const { organization, request } = visit;
      await changeInvitation(deps, visit, {
        async change() {
          const invitationId = fieldOf(request, 'invitation');
          await deps.core.revokeInvitation({ organization, invitationId, by: actorOf(visit) });
          return 'invitation-revoked';
        },
      });
    }),
  };
}
