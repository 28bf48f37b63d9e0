import { ask, named } from '../ask.js';
import { nameOf } from '../design/avatar.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import { memberOf } from './change-role.js';

/** Ends the sessions of a member, after asking. */
export const signOutMember = memberPage({
  path: paths.signOutMember(':id', ':userId'),
  role: 'owner',
  async get(visit) {
    const { organization } = visit;
    const { user } = await memberOf(visit);
    ask(visit, {
      ...named`Sign ${nameOf(user)} out?`,
      kind: 'primary',
      submit: 'Sign them out',
      cancelPath: paths.member(organization.id, user.id),
      children: (
        <p>
          Sessions that login links of <bdi>{organization.name}</bdi> started end at once. If they belong to
          no other organization, all their other sessions end too. They can sign in again.
        </p>
      ),
    });
  },
  async post(visit) {
    const { core, organization, by } = visit;
    const { user } = await memberOf(visit);
    const { ended } = await core.signOutMember({ organization, userId: user.id, by });
    const notice = ended === 0 ? 'member-not-signed-in' : 'member-signed-out';
    visit.leadTo(paths.member(organization.id, user.id), notice, nameOf(user));
  },
});
