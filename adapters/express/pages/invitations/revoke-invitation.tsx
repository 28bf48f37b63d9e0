import { Confirm } from '../design/components.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import { changeInvitation, invitationOf, nameOf } from './read-invitation.js';

/** Ends an invitation's link, after asking. */
export const revokeInvitation = memberPage({
  path: paths.revokeInvitation(':id', ':uuid'),
  role: 'admin',
  section: 'invitations',
  async get(visit) {
    const { organization, token } = visit;
    const invitation = await invitationOf(visit);
    const path = paths.invitation(organization.id, invitation.userUuid);
    if (invitation.state !== 'pending') return visit.leadTo(path);
    visit.show({
      title: `Revoke the invitation for ${nameOf(invitation)}?`,
      body: (
        <Confirm
          question="Revoke this invitation?"
          action={paths.revokeInvitation(organization.id, invitation.userUuid)}
          token={token}
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
  },
  post: (visit) =>
    changeInvitation(visit, async () => {
      const { core, organization, by } = visit;
      await core.revokeInvitation({ organization, invitationId: visit.field('invitation'), by });
      return 'invitation-revoked';
    }),
});
