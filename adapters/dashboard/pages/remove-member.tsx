import type { Dashboard } from '../dashboard.js';
import { leaveNotice } from '../notice.js';
import type { Page } from '../page.js';
import { Confirm } from '../parts.js';
import { byVisitor, inOrganization, showTo } from '../visit.js';
import { isVisitor, memberOf, nameOf } from './change-role.js';
import { memberPagePath, peoplePath } from './list-members.js';

/** Asks before somebody is removed from the organization. */
export function removeMember(dashboard: Dashboard): Page {
  const { core } = dashboard;
  return {
    path: '/organizations/:id/people/:userId/remove',
    get: inOrganization(dashboard, { role: 'owner', section: 'people' }, async (visit) => {
      const { organization } = visit;
      const { user } = await memberOf(dashboard, visit);
      const path = memberPagePath(organization.id, user.id);
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
              At once they are signed out of what a link of <bdi>{organization.name}</bdi> opened, and its
              login links, a pending invitation of <bdi>{user.email}</bdi> and their calendar stop working.
            </p>
            <p>
              Their account stays, and so do their seats in meetings. To come back they have to be invited or
              added again.
            </p>
          </Confirm>
        ),
      });
    }),
    post: inOrganization(dashboard, { role: 'owner', section: 'people' }, async (visit) => {
      const { organization, response } = visit;
      const { user } = await memberOf(dashboard, visit);
      await core.removeMember({ organization, userId: user.id, by: byVisitor(visit) });
      leaveNotice(dashboard, response, 'member-removed');
      response.redirect(303, isVisitor(visit, user) ? '/meetings' : peoplePath(organization.id));
    }),
  };
}
