import type { Dashboard } from '../dashboard.js';
import { problemsOf } from '../design/form.js';
import { leaveNotice } from '../design/notice.js';
import { byVisitor, type Visit } from '../visit.js';
import { invitationPath } from './invitation-paths.js';
import { type InviteForm, inviteeIn, personLabels } from './invite-form.js';

/** Invites the person in the form and leads to the invitation's page. A refused form is shown again. */
export async function inviteUser(
  dashboard: Dashboard,
  visit: Visit,
  showAgain: (visit: Visit, form: InviteForm) => Promise<void>,
): Promise<void> {
  const { organization, request, response } = visit;
  const person = inviteeIn(request);
  try {
    const { uuid } = await dashboard.core.inviteUser({ organization, ...person, by: byVisitor(visit) });
    leaveNotice(dashboard, response, 'invited');
    response.redirect(303, invitationPath(organization.id, uuid));
  } catch (error) {
    await showAgain(visit, { person, problems: problemsOf(error, personLabels, ['already-member']) });
  }
}
