import type { Dashboard } from '../dashboard.js';
import { Confirm } from '../design/parts.js';
import { fieldOf } from '../form-guard.js';
import type { Page } from '../page.js';
import { byVisitor, inOrganization, showTo } from '../visit.js';
import { invitationPath } from './invitation-paths.js';
import { changeInvitation, invitationOf, nameOf } from './read-invitation.js';

/** Gives an invitation a new link instead of the old one, after asking. */
export function renewInvitation(dashboard: Dashboard): Page {
  return {
    path: '/organizations/:id/invitations/:uuid/renew',
    get: inOrganization(dashboard, { role: 'admin', section: 'invitations' }, async (visit) => {
      const invitation = await invitationOf(dashboard, visit);
      const path = invitationPath(visit.organization.id, invitation.userUuid);
      if (invitation.state !== 'pending') return visit.response.redirect(303, path);
      showTo(visit, dashboard, {
        title: `Renew the invitation of ${nameOf(invitation)}?`,
        body: (
          <Confirm
            question="Renew this invitation?"
            action={`${path}/renew`}
            token={visit.signedIn.formToken}
            fields={{ invitation: invitation.id }}
            yes="Renew the invitation"
            back={path}
          >
            <p>
              The invitation of <bdi>{nameOf(invitation)}</bdi> (<bdi>{invitation.email}</bdi>) gets a new
              link for you to send. The old one stops working at once.
            </p>
          </Confirm>
        ),
      });
    }),
    post: inOrganization(dashboard, { role: 'admin', section: 'invitations' }, async (visit) => {
      const { organization, request } = visit;
      await changeInvitation(dashboard, visit, {
        notice: 'invitation-renewed',
        change: () =>
          dashboard.core.renewInvitation({
            organization,
            invitationId: fieldOf(request, 'invitation'),
            by: byVisitor(visit),
          }),
      });
    }),
  };
}
