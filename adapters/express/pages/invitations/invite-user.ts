import { setNotice } from '../design/notice.js';
import { openForm } from '../kept-form.js';
import { idpIdProblems } from '../members/idp-id-problems.js';
import type { PageDeps } from '../page-deps.js';
import { actorOf, type Visit } from '../visit.js';
import { invitationPath } from './invitation-paths.js';
import { type InviteForm, inviteeIn, personLabels } from './invite-form.js';

/** Invites the person in the form and leads to the invitation's page. A refused form is shown again. */
export async function inviteUser(
  deps: PageDeps,
  visit: Visit,
  showAgain: (visit: Visit, form: InviteForm) => Promise<void>,
): Promise<void> {
  const { organization, request, response } = visit;
  const person = inviteeIn(request);
  try {
    const idpId = person.idpId || null;
    const { uuid } = await deps.core.inviteUser({ organization, ...person, idpId, by: actorOf(visit) });
    setNotice(deps, response, 'invited');
    response.redirect(303, invitationPath(organization.id, uuid));
  } catch (error) {
    const refused = { idpId: person.idpId, labels: personLabels, alsoShown: ['already-member'] } as const;
    const problems = await idpIdProblems(deps, visit, error, refused);
    const { token } = await openForm(deps, visit);
    await showAgain(visit, { person, problems, token });
  }
}
