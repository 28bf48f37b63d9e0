import type { InvitationView } from '@rollcall/core';
import { showForm } from '../ask.js';
import { nameOf } from '../design/avatar.js';
import { noProblems } from '../design/form.js';
import type { NoticeName } from '../design/notice.js';
import { memberForm } from '../form-page.js';
import { SHOWN_IDP_ID } from '../members/change-role.js';
import { idpIdProblems } from '../members/idp-id-problems.js';
import { paths } from '../paths.js';
import { InvitationFields, invitationIn, invitationLabels, sendMailIn } from './invite-user.js';
import { canRenew, changeInvitation, invitationOf } from './read-invitation.js';

/** Gives an invitation a new link, and lets an admin correct its name and ID. */
export const renewInvitation = memberForm({
  path: paths.renewInvitation(':id', ':uuid'),
  // `invitation` is the id of the one that the form was opened for.
  fields: [
    ...(['invitation', 'first_name', 'last_name', 'idp_id', 'send_mail', 'role', 'expires_in_days'] as const),
    SHOWN_IDP_ID,
  ],
  labels: invitationLabels,
  seen: SHOWN_IDP_ID,
  problems: idpIdProblems,
  about: invitationOf,
  initial: ({ id, firstName, lastName, idpId, role, ...invitation }, visit) => ({
    ...{ invitation: id, first_name: firstName, last_name: lastName, send_mail: visit.sendsMail ? '1' : '' },
    ...{ role: visit.role === 'owner' ? role : 'member', expires_in_days: daysOf(invitation) },
    ...{ idp_id: idpId ?? '', [SHOWN_IDP_ID]: idpId ?? '' },
  }),
  async send(visit, { invitation: invitationId, [SHOWN_IDP_ID]: shown, ...person }) {
    const { core, organization, by } = visit;
    await invitationOf(visit);
    await changeInvitation(visit, async () => {
      const change = { ...invitationIn(person), replaces: shown || null, sendMail: sendMailIn(visit), by };
      const { isMailed } = await core.renewInvitation({ organization, invitationId, ...change });
      return noticeFor(isMailed);
    });
  },
  show(visit, form) {
    const { about: invitation, values, problems } = form;
    const { organization, sendsMail } = visit;
    const { userUuid } = invitation;
    const cancelPath = paths.invitation(organization.id, userUuid);
    if (problems === noProblems && !canRenew(invitation)) return visit.leadTo(cancelPath);
    showForm(visit, {
      title: `Renew the invitation for ${nameOf(invitation)}?`,
      heading: 'Renew this invitation?',
      problems,
      action: paths.renewInvitation(organization.id, userUuid),
      fields: { invitation: values.invitation, [SHOWN_IDP_ID]: values[SHOWN_IDP_ID] },
      controls: <InvitationFields {...{ visit, form }} mailLabel="Email them the new link" />,
      submit: 'Renew the invitation',
      busy: 'One moment…',
      cancelPath,
      children: (
        <>
          <p>
            <bdi>{nameOf(invitation)}</bdi> (<bdi>{invitation.email}</bdi>) gets a new link
            {sendsMail ? '' : ' for you to send'}.
            {invitation.state === 'pending' && ' The old one stops working at once.'}
          </p>
          {invitation.role === 'admin' && visit.role !== 'owner' && (
            <p>Only an owner can invite an admin: if you renew this invitation, they join as a member.</p>
          )}
          <p>
            You can correct the name and the ID here. To correct the email address, revoke the invitation and
            invite the right address.
          </p>
        </>
      ),
    });
  },
});

/** For how many days the invitation was valid. Empty: for any time. */
function daysOf({ createdAt, expiresAt }: Pick<InvitationView, 'createdAt' | 'expiresAt'>): string {
  if (expiresAt === null) return '';
  return String(Math.max(1, Math.round((expiresAt.getTime() - createdAt.getTime()) / (24 * 60 * 60 * 1000))));
}

function noticeFor(isMailed: boolean | undefined): NoticeName {
  if (isMailed === undefined) return 'invitation-renewed';
  return isMailed ? 'renewed-by-mail' : 'renewed-too-often';
}
