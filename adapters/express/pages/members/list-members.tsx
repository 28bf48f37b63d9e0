import type { ListedMember, MemberOrder, Role } from '@rollcall/core';
import { NameLink } from '../design/avatar.js';
import type { Column } from '../design/components.js';
import { foundBy, type ListKind, problemsIn, queryIn, SearchedList } from '../design/list.js';
import { Timestamp } from '../design/times.js';
import { sendList } from '../download.js';
import { memberPage } from '../page.js';
import { paths, withQuery } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import { PeopleHead } from './people-head.js';
import { roleTitles } from './roles.js';

const kind: ListKind<Role, MemberOrder> = {
  things: 'members',
  filter: 'role',
  filters: { owner: 'Owners', admin: 'Admins', member: 'Members' },
  all: 'All roles',
  orders: { role: 'Role', name: 'Name', newest: 'Newest first' },
  showAll: 'Show everyone',
  searched: 'their name, email address or ID',
};

/** The members of the organization with their roles. */
export const listMembers = memberPage({
  path: paths.people(':id'),
  isList: true,
  async get(visit) {
    const { core, organization, zone, request } = visit;
    const query = queryIn(kind, request);
    const { search, filter: role, order } = query;
    const { page } = request.query;
    const found = await foundBy(core.listMembers({ organization, search, role, order, page }));
    const path = paths.people(organization.id);
    const invitations = withQuery(paths.invitations(organization.id), search === '' ? {} : { search });
    visit.show(
      { title: `People of ${organization.name}`, problems: problemsIn(found), notice: visit.consumeNotice() },
      <PeopleHead organizationId={organization.id} current="members" />,
      <SearchedList
        {...{ kind, path, query, found, zone }}
        caption="Members"
        words={role ? { one: role, several: `${role}s` } : { one: 'person', several: 'people' }}
        {...(role === undefined && order === 'role' && { aside: ', owners first' })}
        columns={columnsFor(visit, order)}
        file={paths.peopleFile(organization.id)}
        noMatch={
          <>
            No one matches. {search === '' ? 'Choose another role' : 'Try a shorter search'}, or check the{' '}
            <a href={invitations}>invitations</a>.
          </>
        }
      />,
    );
  },
});

/** The people that the list shows with the same address, on all its pages, as a CSV file. */
export const exportMembers = memberPage({
  path: paths.peopleFile(':id'),
  get(visit) {
    const { core, organization, request } = visit;
    const { search, filter: role } = queryIn(kind, request);
    const filter = { organization, search, role };
    const [exported, listed] = [core.exportMembers(filter), core.listMembers(filter)];
    return sendList(visit, { list: 'people', exported, listed });
  },
});

/** What the person has to sign in with. Without anything, only login links open something. */
function waysIn({ canSignIn, hasSecondFactor, isLinked }: ListedMember): string {
  const password = hasSecondFactor ? 'Password and second factor' : 'Password';
  const ways = [isLinked && 'Sign-on', canSignIn && password].filter(Boolean);
  return ways.join(', ') || 'Login link';
}

function columnsFor({ organization, zone }: MemberVisit, sort: MemberOrder): readonly Column<ListedMember>[] {
  return [
    { title: 'Name', cell: ({ user }) => <NameLink to={paths.member(organization.id, user.id)} of={user} /> },
    { title: 'Email address', cell: ({ user }) => <bdi>{user.email}</bdi> },
    { title: 'Role', cell: ({ role }) => roleTitles[role], isShort: true },
    {
      title: 'ID',
      cell: ({ idpId }) => (idpId === null ? '–' : <bdi class="id">{idpId}</bdi>),
      isMinor: true,
    },
    {
      title: 'Sign-in',
      cell: waysIn,
      isShort: true,
      isMinor: true,
    },
    sort === 'newest'
      ? { title: 'Joined', cell: ({ joinedAt }) => <Timestamp at={joinedAt} zone={zone} /> }
      : {
          title: 'Last sign-in',
          cell: ({ lastSignInAt: at }) => (at === null ? 'Never' : <Timestamp at={at} zone={zone} />),
        },
  ];
}
