import type { Member, Role } from '@rollcall/core';
import type { Request } from 'express';
import { type FormProblems, isOutdated, problemsOf } from '../design/form.js';
import { setNotice } from '../design/notice.js';
import { fieldOf } from '../form-guard.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { actorOf, requireMember, type Visit } from '../visit.js';
import {
  formsOf,
  isSelf,
  memberLabels,
  memberOf,
  readMember,
  SHOWN_ROLE,
  showMember,
} from './member-view.js';
import { memberPath } from './people-paths.js';
import { roleIn, roleTitles } from './roles.js';

/** One member, with the form to change their role. */
export function changeRole(deps: PageDeps): Page {
  const { core } = deps;
  return {
    path: '/organizations/:id/people/:userId',
    get: readMember(deps),
    keptForm: { fields: ['role', SHOWN_ROLE] },
    post: requireMember(deps, { role: 'owner', section: 'people' }, async (visit) => {
      const { organization, request, response } = visit;
      const found = await memberOf(deps, visit);
      const role = roleIn(request);
      const replaces = shownRole(request);
      try {
        await core.changeRole({ organization, userId: found.user.id, role, replaces, by: actorOf(visit) });
        setNotice(deps, response, 'role-changed');
        response.redirect(303, pathAfter(visit, found, role));
      } catch (error) {
        const problems = problemsOf(error, memberLabels, ['last-owner']);
        const member = await memberOf(deps, visit);
        // Only a reader who was told of the change may overwrite it.
        const asShown = isOutdated(error)
          ? { shownRole: member.role, roleProblems: outdated(member, role) }
          : { shownRole: replaces ?? member.role, roleProblems: problems };
        await showMember(deps, visit, { ...formsOf(member), role, ...asShown });
      }
    }),
  };
}

/** A form that someone opened before an update of the service shows no role. */
function shownRole(request: Request): Role | undefined {
  const role = fieldOf(request, SHOWN_ROLE);
  return role === '' ? undefined : (role as Role);
}

/** Asks whether to replace the role that the member has by now. */
function outdated({ role: current }: Member, role: Role): FormProblems {
  const change = `Someone changed the role to ${roleTitles[current]} after you opened this page`;
  return { general: null, fields: { role: `${change}. Save again to make it ${roleTitles[role]}.` } };
}

/** People who are no longer owners can't return to this page. */
function pathAfter(visit: Visit, { user }: Member, role: Member['role']): string {
  if (isSelf(visit, user) && role !== 'owner') return '/meetings';
  return memberPath(visit.organization.id, user.id);
}
