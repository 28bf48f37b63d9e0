import { ask, named, showMessage } from '../ask.js';
import { nameOf } from '../design/avatar.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import { isLastOwner, isSelf, LAST_OWNER_TEXT, memberOf } from './change-role.js';

/** Asks before a member is removed from the organization. */
export const removeMember = memberPage({
  path: paths.removeMember(':id', ':userId'),
  role: 'owner',
  async get(visit) {
    const { organization } = visit;
    const member = await memberOf(visit);
    const { user } = member;
    const page = paths.member(organization.id, user.id);
    // Instead of the question, because the removal would be refused.
    if (await isLastOwner(visit, member))
      return showMessage(visit, {
        ...named`${nameOf(user)} is the last owner`,
        back: { href: page, text: 'Go back' },
        next: { href: paths.people(organization.id), text: 'People' },
        children: <p>{LAST_OWNER_TEXT}</p>,
      });
    ask(visit, {
      ...named`Remove ${nameOf(user)}?`,
      ...(isSelf(visit, user) && { heading: 'Remove yourself?' }),
      submit: 'Remove',
      cancelPath: page,
      children: (
        <>
          <p>
            They’re signed out and their links stop working: login links of <bdi>{organization.name}</bdi>,
            their calendar address, and any pending invitation to <bdi>{user.email}</bdi>.
          </p>
          <p>Their account and their seats in meetings stay. To come back, they need a new invitation.</p>
        </>
      ),
    });
  },
  async post(visit) {
    const { core, organization, by } = visit;
    const { user } = await memberOf(visit);
    await core.removeMember({ organization, userId: user.id, by });
    const after = isSelf(visit, user) ? paths.memberships : paths.people(organization.id);
    visit.leadTo(after, 'member-removed', nameOf(user));
  },
});
