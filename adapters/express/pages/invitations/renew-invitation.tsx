import { Confirm } from '../design/components.js';
import { fieldOf } from '../form-guard.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { actorOf, requireMember, showPageTo } from '../visit.js';
import { invitationPath } from './invitation-paths.js';
import { changeInvitation, invitationOf, nameOf } from './read-invitation.js';

/** Gives an invitation a new link instead of the old one, after asking. */
export function renewInvitation(deps: PageDeps): Page {
  return {
    path: '/organizations/:id/invitations/:uuid/renew',
    get: requireMember(deps, { role: 'admin', section: 'invitations' }, async (visit) => {
      const invitation = await invitationOf(deps, visit);
      const path = invitationPath(visit.organization.id, invitation.userUuid);
      if (invitation.state !== 'pending') return visit.response.redirect(303, path);
      showPageTo(visit, deps, {
        title: `Renew the invitation of ${nameOf(invitation)}?`,
        body: (
          <Confirm
            question="Renew this invitation?"
            action={`${path}/renew`}
            token={visit.signedIn.formToken}
            fields={{ invitation: invitation.id }}
            confirmLabel="Renew the invitation"
            cancelPath={path}
          >
            <p>
              The invitation of <bdi>{nameOf(invitation)}</bdi> (<bdi>{invitation.email}</bdi>) gets a new
              link for you to send. The old one stops working at once.
            </p>
          </Confirm>
        ),
      });
    }),
    post: requireMember(deps, { role: 'admin', section: 'invitations' }, async (visit) => {
      const { organization, request } = visit;
      await changeInvitation(deps, visit, {
        notice: 'invitation-renewed',
        change: () =>
          deps.core.renewInvitation({
            organization,
            invitationId: fieldOf(request, 'invitation'),
            by: actorOf(visit),
          }),
      });
    }),
  };
}
