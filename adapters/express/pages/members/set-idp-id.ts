import { isOutdated } from '../design/form.js';
import { setNotice } from '../design/notice.js';
import { fieldOf } from '../form-guard.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { actorOf, requireMember } from '../visit.js';
import { idpIdProblems } from './idp-id-problems.js';
import { formsOf, memberLabels, memberOf, readMember, SHOWN_IDP_ID, showMember } from './member-view.js';
import { memberPath } from './people-paths.js';

/** The form for a member's ID at the identity provider, which is on the member's page. */
export function setIdpId(deps: PageDeps): Page {
  return {
    path: '/organizations/:id/people/:userId/idp-id',
    get: requireMember(deps, { role: 'owner', section: 'people' }, async (visit) => {
      const { user } = await memberOf(deps, visit);
      visit.response.redirect(303, memberPath(visit.organization.id, user.id));
    }),
    keptForm: { fields: ['idp_id', SHOWN_IDP_ID], show: readMember(deps) },
    post: requireMember(deps, { role: 'owner', section: 'people' }, async (visit) => {
      const { organization, request, response } = visit;
      const member = await memberOf(deps, visit);
      const { uuid, user } = member;
      const idpId = fieldOf(request, 'idp_id').trim();
      const shown = fieldOf(request, SHOWN_IDP_ID);
      try {
        const change = { idpId: idpId || null, replaces: shown || null };
        await deps.core.setIdpId({ organization, uuid, ...change, by: actorOf(visit) });
        setNotice(deps, response, 'idp-id-set');
        response.redirect(303, memberPath(organization.id, user.id));
      } catch (error) {
        const problems = await idpIdProblems(deps, visit, error, { idpId, labels: memberLabels });
        const forms = formsOf(await memberOf(deps, visit));
        // Only a reader who was told of the change may overwrite it.
        const shownIdpId = isOutdated(error) ? forms.shownIdpId : shown;
        await showMember(deps, visit, { ...forms, idpId, shownIdpId, idpIdProblems: problems });
      }
    }),
  };
}
