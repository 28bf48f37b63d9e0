import { ask, named } from '../ask.js';
import { nameOf } from '../design/avatar.js';
import { memberOf } from '../members/change-role.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';

/** Ends the link between a member and a person at the identity provider, after asking. */
export const unlinkIdentity = memberPage({
  path: paths.unlinkIdentity(':id', ':userId'),
  role: 'owner',
  async get(visit) {
    const { core, organization } = visit;
    const { user } = await memberOf(visit);
    const identity = await core.readIdentity({ organization, userId: user.id });
    if (identity === null) return visit.leadTo(paths.member(organization.id, user.id));
    ask(visit, {
      ...named`Unlink ${nameOf(user)}?`,
      kind: 'primary',
      submit: 'Unlink them',
      cancelPath: paths.member(organization.id, user.id),
      children: (
        <p>
          At your identity provider they are <bdi>{identity.subject}</bdi>. They are signed out, and the next
          person whom the provider names as this member is linked instead. Do this if they have a new account
          there.
        </p>
      ),
    });
  },
  async post(visit) {
    const { core, organization, by } = visit;
    const { user } = await memberOf(visit);
    await core.unlinkIdentity({ organization, userId: user.id, by });
    visit.leadTo(paths.member(organization.id, user.id), 'identity-unlinked', nameOf(user));
  },
});
