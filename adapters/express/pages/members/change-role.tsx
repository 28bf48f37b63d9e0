import type { Member } from '@rollcall/core';
import { problemsOf } from '../design/form.js';
import { setNotice } from '../design/notice.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { actorOf, requireMember, type Visit } from '../visit.js';
import { memberPath } from './list-members.js';
import { formsOf, isSelf, memberLabels, memberOf, showMember } from './member-view.js';
import { roleIn } from './roles.js';

/** One member, with the form to change their role. */
export function changeRole(deps: PageDeps): Page {
  const { core } = deps;
  return {
    path: '/organizations/:id/people/:userId',
    get: requireMember(deps, { role: 'owner', section: 'people' }, async (visit) =>
      showMember(deps, visit, formsOf(await memberOf(deps, visit))),
    ),
    post: requireMember(deps, { role: 'owner', section: 'people' }, async (visit) => {
      const { organization, request, response } = visit;
      const found = await memberOf(deps, visit);
      const role = roleIn(request);
      try {
        await core.changeRole({ organization, userId: found.user.id, role, by: actorOf(visit) });
        setNotice(deps, response, 'role-changed');
        response.redirect(303, pathAfter(visit, found, role));
      } catch (error) {
        const roleProblems = problemsOf(error, memberLabels, ['last-owner']);
        await showMember(deps, visit, { ...formsOf(found), role, roleProblems });
      }
    }),
  };
}

/** People who are no longer owners can't return to this page. */
function pathAfter(visit: Visit, { user }: Member, role: Member['role']): string {
  if (isSelf(visit, user) && role !== 'owner') return '/meetings';
  return memberPath(visit.organization.id, user.id);
}
