import type { Member } from '@rollcall/core';
import { ButtonLink } from '../design/button.js';
import { Confirm } from '../design/components.js';
import { setNotice } from '../design/notice.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { actorOf, requireMember, showPageTo, type Visit } from '../visit.js';
import { isLastOwner, isSelf, LAST_OWNER_TEXT, memberOf, nameOf } from './member-view.js';
import { memberPath, peoplePath } from './people-paths.js';

/** Asks before a member is removed from the organization. */
export function removeMember(deps: PageDeps): Page {
  const { core } = deps;
  return {
    path: '/organizations/:id/people/:userId/remove',
    get: requireMember(deps, { role: 'owner', section: 'people' }, async (visit) => {
      const { organization } = visit;
      const member = await memberOf(deps, visit);
      const { user } = member;
      const path = memberPath(organization.id, user.id);
      if (await isLastOwner(deps, visit, member)) return showLastOwner(deps, visit, member);
      showPageTo(visit, deps, {
        title: `Remove ${nameOf(user)}?`,
        body: (
          <Confirm
            question={
              isSelf(visit, user) ? (
                'Remove yourself?'
              ) : (
                <>
                  Remove <bdi>{nameOf(user)}</bdi>?
                </>
              )
            }
            action={`${path}/remove`}
            token={visit.signedIn.formToken}
            confirmLabel="Remove"
            cancelPath={path}
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
    post: requireMember(deps, { role: 'owner', section: 'people' }, async (visit) => {
      const { organization, response } = visit;
      const { user } = await memberOf(deps, visit);
      await core.removeMember({ organization, userId: user.id, by: actorOf(visit) });
      setNotice(deps, response, 'member-removed', nameOf(user));
      response.redirect(303, isSelf(visit, user) ? '/meetings' : peoplePath(organization.id));
    }),
  };
}

/** Shown instead of the question, because the removal would be refused. */
function showLastOwner(deps: PageDeps, visit: Visit, { user }: Member): void {
  const { id } = visit.organization;
  showPageTo(visit, deps, {
    title: `${nameOf(user)} is the last owner`,
    body: (
      <section class="card narrow">
        <h1>
          <bdi>{nameOf(user)}</bdi> is the last owner
        </h1>
        <p>{LAST_OWNER_TEXT}</p>
        <div class="actions">
          <ButtonLink kind="primary" href={memberPath(id, user.id)}>
            Go back
          </ButtonLink>
          <ButtonLink kind="quiet" href={peoplePath(id)}>
            People
          </ButtonLink>
        </div>
      </section>
    ),
  });
}
