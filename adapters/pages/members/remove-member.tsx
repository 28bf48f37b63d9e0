import type { Member } from '@rollcall/core';
import type { Dashboard } from '../dashboard.js';
import { leaveNotice } from '../design/notice.js';
import { Confirm } from '../design/parts.js';
import type { Page } from '../page.js';
import { byVisitor, inOrganization, showTo, type Visit } from '../visit.js';
import { isLastOwner, isVisitor, LAST_OWNER, memberOf, nameOf } from './change-role.js';
import { memberPagePath, peoplePath } from './list-members.js';

/** Asks before a member is removed from the organization. */
export function removeMember(dashboard: Dashboard): Page {
  const { core } = dashboard;
  return {
    path: '/organizations/:id/people/:userId/remove',
    get: inOrganization(dashboard, { role: 'owner', section: 'people' }, async (visit) => {
      const { organization } = visit;
      const member = await memberOf(dashboard, visit);
      const { user } = member;
      const path = memberPagePath(organization.id, user.id);
      if (await isLastOwner(dashboard, visit, member)) return showLastOwner(dashboard, visit, member);
      showTo(visit, dashboard, {
        title: `Remove ${nameOf(user)}?`,
        body: (
          <Confirm
            question={isVisitor(visit, user) ? 'Remove yourself?' : `Remove ${nameOf(user)}?`}
            action={`${path}/remove`}
            token={visit.signedIn.formToken}
            yes="Remove"
            back={path}
          >
            <p>
              They’re signed out and their links stop working: login links of <bdi>{organization.name}</bdi>,
              their calendar address, and any pending invitation to <bdi>{user.email}</bdi>.
            </p>
            <p>Their account and their seats in meetings stay. To come back, they need a new invitation.</p>
          </Confirm>
        ),
      });
    }),
    post: inOrganization(dashboard, { role: 'owner', section: 'people' }, async (visit) => {
      const { organization, response } = visit;
      const { user } = await memberOf(dashboard, visit);
      await core.removeMember({ organization, userId: user.id, by: byVisitor(visit) });
      leaveNotice(dashboard, response, 'member-removed', nameOf(user));
      response.redirect(303, isVisitor(visit, user) ? '/meetings' : peoplePath(organization.id));
    }),
  };
}

/** Shown instead of the question, because the removal would be refused. */
function showLastOwner(dashboard: Dashboard, visit: Visit, { user }: Member): void {
  const { id } = visit.organization;
  showTo(visit, dashboard, {
    title: `${nameOf(user)} is the last owner`,
    body: (
      <section class="card narrow">
        <h1>
          <bdi>{nameOf(user)}</bdi> is the last owner
        </h1>
        <p>{LAST_OWNER}</p>
        <div class="actions">
          <a href={peoplePath(id)}>People</a>
          <a href={memberPagePath(id, user.id)}>Back</a>
        </div>
      </section>
    ),
  });
}
