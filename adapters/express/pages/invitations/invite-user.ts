import { type NoticeName, setNotice } from '../design/notice.js';
import { openForm } from '../kept-form.js';
import { idpIdProblems } from '../members/idp-id-problems.js';
import type { PageDeps } from '../page-deps.js';
import { actorOf, type Visit } from '../visit.js';
import { invitationPath } from './invitation-paths.js';
import { type InviteForm, inviteeIn, personLabels, sendMailIn } from './invite-form.js';

/** Invites the person in the form and leads to the invitation's page. A refused form is shown again. */
export async function inviteUser(
  deps: PageDeps,
  visit: Visit,
  showAgain: (visit: Visit, form: InviteForm) => Promise<void>,
): Promise<void> {
  const { organization, request, response } = visit;
  const person = inviteeIn(request);
  const sendMail = deps.sendsMail && sendMailIn(request);
  try {
    const idpId = person.idpId || null;
    const by = actorOf(visit);
    const { uuid, isMailed } = await deps.core.inviteUser({ organization, ...person, idpId, sendMail, by });
    setNotice(deps, response, noticeFor(deps, isMailed));
    response.redirect(303, invitationPath(organization.id, uuid));
  } catch (error) {
    const refused = { idpId: person.idpId, labels: personLabels, alsoShown: ['already-member'] } as const;
    const problems = await idpIdProblems(deps, visit, error, refused);
    const { token } = openForm(deps, visit);
    await showAgain(visit, { person, problems, sendMail: deps.sendsMail ? sendMail : null, token });
  }
}

function noticeFor({ sendsMail }: PageDeps, isMailed: boolean | undefined): NoticeName {
  if (isMailed === undefined) return sendsMail ? 'invited-without-mail' : 'invited';
  return isMailed ? 'invited-by-mail' : 'invited-too-often';
}
