import type { Dashboard } from '../dashboard.js';
import { Confirm } from '../design/parts.js';
import { fieldOf } from '../form-guard.js';
import type { Page } from '../page.js';
import { byVisitor, inOrganization, showTo } from '../visit.js';
import { invitationPath } from './invitation-paths.js';
import { changeInvitation, invitationOf, nameOf } from './read-invitation.js';

/** Ends an invitation's link, after asking. */
export function revokeInvitation(dashboard: Dashboard): Page {
  return {
    path: '/organizations/:id/invitations/:uuid/revoke',
    get: inOrganization(dashboard, { role: 'admin', section: 'invitations' }, async (visit) => {
      const invitation = await invitationOf(dashboard, visit);
      const path = invitationPath(visit.organization.id, invitation.userUuid);
      if (invitation.state !== 'pending') return visit.response.redirect(303, path);
      showTo(visit, dashboard, {
        title: `Revoke the invitation of ${nameOf(invitation)}?`,
        body: (
          <Confirm
            question="Revoke this invitation?"
            action={`${path}/revoke`}
            token={visit.signedIn.formToken}
            fields={{ invitation: invitation.id }}
            yes="Revoke the invitation"
            back={path}
          >
            <p>
              The link of <bdi>{nameOf(invitation)}</bdi> (<bdi>{invitation.email}</bdi>) stops working at
              once. Anyone who opens it will see that the invitation was revoked.
            </p>
          </Confirm>
        ),
      });
    }),
    post: inOrganization(dashboard, { role: 'admin', section: 'invitations' }, async (visit) => {
      const { organization, request } = visit;
      await changeInvitation(dashboard, visit, {
        notice: 'invitation-revoked',
        change: () =>
          dashboard.core.revokeInvitation({
            organization,
            invitationId: fieldOf(request, 'invitation'),
            by: byVisitor(visit),
          }),
      });
    }),
  };
}
