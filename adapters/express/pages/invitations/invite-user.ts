import type { NoticeName } from '../design/notice.js';
import { idpIdProblems } from '../members/idp-id-problems.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import { type InviteForm, inviteeIn, personLabels, sendMailIn } from './invite-form.js';

/** Invites the person in the form and leads to the invitation's page. A refused form is shown again. */
export async function inviteUser(
  visit: MemberVisit,
  showAgain: (visit: MemberVisit, form: InviteForm) => Promise<void>,
): Promise<void> {
  const { core, organization, sendsMail, token, by } = visit;
  const person = inviteeIn(visit);
  const sendMail = sendMailIn(visit);
  try {
    const idpId = person.idpId || null;
    const { uuid, isMailed } = await core.inviteUser({ organization, ...person, idpId, sendMail, by });
    visit.leadTo(paths.invitation(organization.id, uuid), noticeFor(visit, isMailed));
  } catch (error) {
    const refused = { idpId: person.idpId, labels: personLabels, alsoShown: ['already-member'] } as const;
    const problems = await idpIdProblems(visit, error, refused);
    await showAgain(visit, { person, problems, sendMail: sendsMail ? sendMail : null, token });
  }
}

function noticeFor({ sendsMail }: MemberVisit, isMailed: boolean | undefined): NoticeName {
  if (isMailed === undefined) return sendsMail ? 'invited-without-mail' : 'invited';
  return isMailed ? 'invited-by-mail' : 'invited-too-often';
}
