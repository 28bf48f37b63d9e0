import { isOutdated } from '../design/form.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import { idpIdProblems } from './idp-id-problems.js';
import { formsOf, memberLabels, memberOf, SHOWN_IDP_ID, showMember } from './member-view.js';

/** The form for a member's ID at the identity provider, which is on the member's page. */
export const setIdpId = memberPage({
  path: paths.idpId(':id', ':userId'),
  role: 'owner',
  section: 'people',
  keeps: ['idp_id', SHOWN_IDP_ID],
  async get(visit) {
    if (visit.kept !== null) return showMember(visit, formsOf(await memberOf(visit)));
    const { user } = await memberOf(visit);
    visit.leadTo(paths.member(visit.organization.id, user.id));
  },
  async post(visit) {
    const { core, organization, by } = visit;
    const { uuid, user } = await memberOf(visit);
    const idpId = visit.field('idp_id').trim();
    const shown = visit.field(SHOWN_IDP_ID);
    try {
      const change = { idpId: idpId || null, replaces: shown || null };
      await core.setIdpId({ organization, uuid, ...change, by });
      visit.leadTo(paths.member(organization.id, user.id), 'idp-id-set');
    } catch (error) {
      const problems = await idpIdProblems(visit, error, { idpId, labels: memberLabels });
      const forms = formsOf(await memberOf(visit));
      // Only a reader who was told of the change may overwrite it.
      const shownIdpId = isOutdated(error) ? forms.shownIdpId : shown;
      await showMember(visit, { ...forms, idpId, shownIdpId, idpIdProblems: problems });
    }
  },
});
