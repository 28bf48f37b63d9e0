import type { Member, Role } from '@rollcall/core';
import { type FormProblems, isOutdated, problemsOf } from '../design/form.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import { formsOf, isSelf, memberLabels, memberOf, SHOWN_ROLE, showMember } from './member-view.js';
import { roleTitles } from './roles.js';

/** One member, with the form to change their role. */
export const changeRole = memberPage({
  path: paths.member(':id', ':userId'),
  role: 'owner',
  section: 'people',
  keeps: ['role', SHOWN_ROLE],
  get: async (visit) => showMember(visit, formsOf(await memberOf(visit))),
  async post(visit) {
    const { core, organization, by } = visit;
    const found = await memberOf(visit);
    // The core refuses unknown roles.
    const role = visit.field('role') as Role;
    // A form that someone opened before an update of the service shows no role.
    const replaces = (visit.field(SHOWN_ROLE) || undefined) as Role | undefined;
    try {
      await core.changeRole({ organization, userId: found.user.id, role, replaces, by });
      visit.leadTo(pathAfter(visit, found, role), 'role-changed');
    } catch (error) {
      const problems = problemsOf(error, memberLabels, ['last-owner']);
      const member = await memberOf(visit);
      // Only a reader who was told of the change may overwrite it.
      const asShown = isOutdated(error)
        ? { shownRole: member.role, roleProblems: outdated(member, role) }
        : { shownRole: replaces ?? member.role, roleProblems: problems };
      await showMember(visit, { ...formsOf(member), role, ...asShown });
    }
  },
});

/** Asks whether to replace the role that the member has by now. */
function outdated({ role: current }: Member, role: Role): FormProblems {
  const change = `Someone changed the role to ${roleTitles[current]} after you opened this page`;
  return { general: null, fields: { role: `${change}. Save again to make it ${roleTitles[role]}.` } };
}

/** People who are no longer owners can't return to this page. */
function pathAfter(visit: MemberVisit, { user }: Member, role: Member['role']): string {
  if (isSelf(visit, user) && role !== 'owner') return paths.memberships;
  return paths.member(visit.organization.id, user.id);
}
