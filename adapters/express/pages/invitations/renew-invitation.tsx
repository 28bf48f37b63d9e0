import { Button, ButtonLink } from '../design/button.js';
import {
  Checkbox,
  Form,
  type FormProblems,
  INVALID_FORM_STATUS,
  isOutdated,
  noProblems,
} from '../design/form.js';
import type { NoticeName } from '../design/notice.js';
import { type FormToken, fieldOf } from '../form-guard.js';
import { openForm } from '../kept-form.js';
import { idpIdProblems } from '../members/idp-id-problems.js';
import { SHOWN_IDP_ID } from '../members/member-view.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { actorOf, requireMember, showPageTo, type Visit } from '../visit.js';
import { invitationPath } from './invitation-paths.js';
import { CorrectionFields, correctionIn, type Invitee, personLabels, sendMailIn } from './invite-form.js';
import { canRenew, changeInvitation, invitationOf, type KnownInvitation, nameOf } from './read-invitation.js';

/** Gives an invitation a new link, and lets an admin correct its name and ID. */
export function renewInvitation(deps: PageDeps): Page {
  return {
    path: '/organizations/:id/invitations/:uuid/renew',
    get: requireMember(deps, { role: 'admin', section: 'invitations' }, async (visit) => {
      const invitation = await invitationOf(deps, visit);
      const path = invitationPath(visit.organization.id, invitation.userUuid);
      if (!canRenew(invitation)) return visit.response.redirect(303, path);
      const { id, firstName, lastName, idpId } = invitation;
      const { token, kept } = openForm(deps, visit);
      const person = {
        firstName: kept?.first_name ?? firstName,
        lastName: kept?.last_name ?? lastName,
        idpId: kept?.idp_id ?? idpId ?? '',
      };
      const shownIdpId = kept?.[SHOWN_IDP_ID] ?? idpId ?? '';
      const sendMail = (kept?.send_mail ?? '') !== '';
      showForm(deps, visit, { invitation, id, person, shownIdpId, sendMail, problems: noProblems, token });
    }),
    keptForm: { fields: ['first_name', 'last_name', 'idp_id', 'send_mail', SHOWN_IDP_ID] },
    post: requireMember(deps, { role: 'admin', section: 'invitations' }, async (visit) => {
      const { organization, request } = visit;
      await invitationOf(deps, visit);
      const id = fieldOf(request, 'invitation');
      const person = correctionIn(request);
      const shown = fieldOf(request, SHOWN_IDP_ID);
      const sendMail = deps.sendsMail && sendMailIn(request);
      try {
        await changeInvitation(deps, visit, {
          async change() {
            const { isMailed } = await deps.core.renewInvitation({
              organization,
              invitationId: id,
              ...person,
              idpId: person.idpId || null,
              replaces: shown || null,
              sendMail,
              by: actorOf(visit),
            });
            return noticeFor(isMailed);
          },
        });
      } catch (error) {
        const refused = { idpId: person.idpId, labels: personLabels };
        const problems = await idpIdProblems(deps, visit, error, refused);
        const invitation = await invitationOf(deps, visit);
        // Only a reader who was told of the change may overwrite it.
        const shownIdpId = isOutdated(error) ? (invitation.idpId ?? '') : shown;
        const { token } = openForm(deps, visit);
        showForm(deps, visit, { invitation, id, person, shownIdpId, sendMail, problems, token });
      }
    }),
  };
}

function noticeFor(isMailed: boolean | undefined): NoticeName {
  if (isMailed === undefined) return 'invitation-renewed';
  return isMailed ? 'renewed-by-mail' : 'renewed-too-often';
}

interface RenewForm {
  readonly invitation: KnownInvitation;
  /** The id of the invitation that the form was opened for. */
  readonly id: string;
  /** What the fields contain. */
  readonly person: Omit<Invitee, 'email'>;
  /** The ID that the reader has seen. Empty: none. */
  readonly shownIdpId: string;
  /** Whether the box for a mail is checked. */
  readonly sendMail: boolean;
  readonly problems: FormProblems;
  readonly token: FormToken;
}

function showForm(deps: PageDeps, visit: Visit, form: RenewForm): void {
  const { invitation, id, person, shownIdpId, sendMail, problems, token } = form;
  const refused = problems !== noProblems;
  const path = invitationPath(visit.organization.id, invitation.userUuid);
  const title = `Renew the invitation for ${nameOf(invitation)}?`;
  showPageTo(visit, deps, {
    status: refused ? INVALID_FORM_STATUS : 200,
    title: refused ? `Error: ${title}` : title,
    body: (
      <section class="card narrow">
        <h1>Renew this invitation?</h1>
        <p>
          <bdi>{nameOf(invitation)}</bdi> (<bdi>{invitation.email}</bdi>) gets a new link
          {deps.sendsMail ? '' : ' for you to send'}.
          {invitation.state === 'pending' && ' The old one stops working at once.'}
        </p>
        <p>
          You can correct the name and the ID here. To correct the email address, revoke the invitation and
          invite the right address.
        </p>
        <Form action={`${path}/renew`} token={token} problem={problems.general}>
          <input type="hidden" name="invitation" value={id} />
          <input type="hidden" name={SHOWN_IDP_ID} value={shownIdpId} />
          <CorrectionFields person={person} problems={problems} />
          {deps.sendsMail && <Checkbox name="send_mail" label="Email them the new link" checked={sendMail} />}
          <div class="actions">
            <Button kind="primary" busy="One moment…">
              Renew the invitation
            </Button>
            <ButtonLink kind="quiet" href={path}>
              Cancel
            </ButtonLink>
          </div>
        </Form>
      </section>
    ),
  });
}
