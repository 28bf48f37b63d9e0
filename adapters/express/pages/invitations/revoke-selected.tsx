import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import { askAboutSelected } from './ask-about-selected.js';
import { changeSelected, countOf } from './selected-invitations.js';

/** Ends the links of all selected invitations, after asking. */
export const revokeSelected = memberPage({
  path: paths.selectedInvitations(':id', 'revoke'),
  role: 'admin',
  section: 'invitations',
  get: (visit) =>
    askAboutSelected(visit, {
      action: 'revoke',
      verb: 'Revoke',
      kind: 'destructive',
      isAllowed: ({ state }) => state === 'pending',
      consequence: 'Their links stop working at once. Anyone who opens one will see that it was revoked.',
    }),
  async post(visit) {
    const { core, organization, by } = visit;
    const { changed, total } = await changeSelected(visit, (invitationId) =>
      core.revokeInvitation({ organization, invitationId, by }),
    );
    const notice = changed.length === total ? 'invitations-revoked' : 'some-invitations-revoked';
    visit.leadTo(paths.invitations(organization.id), notice, countOf(changed.length, total));
  },
});
