import { Checkbox, Form, type FormProblems, isOutdated, noProblems, Submit } from '../design/form.js';
import type { NoticeName } from '../design/notice.js';
import { SHOWN_IDP_ID } from '../members/change-role.js';
import { idpIdProblems } from '../members/idp-id-problems.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import { CorrectionFields, correctionIn, type Invitee, personLabels, sendMailIn } from './invite-user.js';
import { canRenew, changeInvitation, invitationOf, type KnownInvitation, nameOf } from './read-invitation.js';

/** Gives an invitation a new link, and lets an admin correct its name and ID. */
export const renewInvitation = memberPage({
  path: paths.renewInvitation(':id', ':uuid'),
  role: 'admin',
  section: 'invitations',
  keeps: ['invitation', 'first_name', 'last_name', 'idp_id', 'send_mail', SHOWN_IDP_ID],
  async get(visit) {
    const { kept } = visit;
    const invitation = await invitationOf(visit);
    if (!canRenew(invitation))
      return visit.leadTo(paths.invitation(visit.organization.id, invitation.userUuid));
    const { firstName, lastName, idpId } = invitation;
    const id = kept?.invitation ?? invitation.id;
    const person = {
      firstName: kept?.first_name ?? firstName,
      lastName: kept?.last_name ?? lastName,
      idpId: kept?.idp_id ?? idpId ?? '',
    };
    const shownIdpId = kept?.[SHOWN_IDP_ID] ?? idpId ?? '';
    const sendMail = (kept?.send_mail ?? '') !== '';
    showForm(visit, { invitation, id, person, shownIdpId, sendMail, problems: noProblems });
  },
  async post(visit) {
    const { core, organization, by } = visit;
    await invitationOf(visit);
    const id = visit.field('invitation');
    const person = correctionIn(visit);
    const idpId = person.idpId || null;
    const shown = visit.field(SHOWN_IDP_ID);
    const sendMail = sendMailIn(visit);
    try {
      await changeInvitation(visit, async () => {
        const change = { ...person, idpId, replaces: shown || null, sendMail, by };
        const { isMailed } = await core.renewInvitation({ organization, invitationId: id, ...change });
        return noticeFor(isMailed);
      });
    } catch (error) {
      const refused = { idpId: person.idpId, labels: personLabels };
      const problems = await idpIdProblems(visit, error, refused);
      const invitation = await invitationOf(visit);
      // Only a reader who was told of the change may overwrite it.
      const shownIdpId = isOutdated(error) ? (invitation.idpId ?? '') : shown;
      showForm(visit, { invitation, id, person, shownIdpId, sendMail, problems });
    }
  },
});

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
}

function showForm(visit: MemberVisit, form: RenewForm): void {
  const { invitation, id, person, shownIdpId, sendMail, problems } = form;
  const { organization, sendsMail, token } = visit;
  const { userUuid } = invitation;
  visit.show({
    title: `Renew the invitation for ${nameOf(invitation)}?`,
    problems,
    body: (
      <section class="card narrow">
        <h1>Renew this invitation?</h1>
        <p>
          <bdi>{nameOf(invitation)}</bdi> (<bdi>{invitation.email}</bdi>) gets a new link
          {sendsMail ? '' : ' for you to send'}.
          {invitation.state === 'pending' && ' The old one stops working at once.'}
        </p>
        <p>
          You can correct the name and the ID here. To correct the email address, revoke the invitation and
          invite the right address.
        </p>
        <Form
          action={paths.renewInvitation(organization.id, userUuid)}
          token={token}
          problem={problems.general}
        >
          <input type="hidden" name="invitation" value={id} />
          <input type="hidden" name={SHOWN_IDP_ID} value={shownIdpId} />
          <CorrectionFields person={person} problems={problems} />
          {sendsMail && <Checkbox name="send_mail" label="Email them the new link" checked={sendMail} />}
          <Submit
            label="Renew the invitation"
            busy="One moment…"
            cancelPath={paths.invitation(organization.id, userUuid)}
          />
        </Form>
      </section>
    ),
  });
}
