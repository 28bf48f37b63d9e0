import type { ListedMember, MemberOrder, PageOf, Role } from '@rollcall/core';
import { Button, type Column, Empty, Stack } from '../design/components.js';
import { noProblems } from '../design/form.js';
import {
  type CountedWords,
  counted,
  foundBy,
  isNarrowed,
  ListControls,
  type ListKind,
  type ListQuery,
  queryIn,
  SearchedRows,
} from '../design/list.js';
import { Timestamp, type TimeZone } from '../design/times.js';
import { sendDownload } from '../download.js';
import { memberForm } from '../form-page.js';
import { InviteFields, type InviteForm, inviteForm } from '../invitations/invite-user.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';
import { roleTitles } from './roles.js';

const kind: ListKind<Role, MemberOrder> = {
  things: 'people',
  filter: 'role',
  filters: { owner: 'Owners', admin: 'Admins', member: 'Members' },
  all: 'Everyone',
  orders: { role: 'Role', name: 'Name', newest: 'Newest first' },
  showAll: 'Show everyone',
};

/** The members of the organization with their roles, and the form to invite someone. */
export const listMembers = memberForm({
  path: paths.people(':id'),
  section: 'people',
  ...inviteForm,
  show: showPeople,
});

/** The people that the list shows with the same address, on all its pages, as a CSV file. */
export const exportMembers = memberPage({
  path: paths.peopleFile(':id'),
  section: 'people',
  async get(visit) {
    const { core, organization, request } = visit;
    const { search, filter: role } = queryIn(kind, request);
    const filter = { organization, search, role };
    // Each of them reads the whole list if there is a search.
    const [{ chunks }, { totalItems }] = await Promise.all([
      core.exportMembers(filter),
      core.listMembers(filter),
    ]);
    await sendDownload(visit, {
      name: 'people',
      form: 'csv',
      record: { list: 'people', rows: totalItems },
      chunks,
    });
  },
});

async function showPeople(visit: MemberVisit, form: InviteForm): Promise<void> {
  const { core, organization, zone, request } = visit;
  const query = queryIn(kind, request);
  const { filter: role, ...others } = query;
  const found = await foundBy(core.listMembers({ organization, role, ...others, page: request.query.page }));
  const path = paths.people(organization.id);
  const isFound = 'items' in found;
  visit.show({
    title: `People of ${organization.name}`,
    problems: isFound ? form.problems : found,
    notice: visit.consumeNotice(),
    body: (
      <>
        <hgroup>
          <h1>People</h1>
          {isFound && <p {...(isNarrowed(query) && { role: 'status' as const })}>{countOf(found, query)}</p>}
        </hgroup>
        <AddCard visit={visit} form={form} />
        <ListControls {...{ kind, path, query, found }} />
        {isFound && (
          <SearchedRows
            {...{ kind, query, found, zone }}
            caption="People"
            columns={columnsFor(organization.id, zone)}
            keyOf={({ user }) => user.id}
            file={paths.peopleFile(organization.id)}
            empty={
              <Empty next={{ href: path, text: 'Show everyone' }}>
                No one matches. {query.search === '' ? 'Choose another role' : 'Try a shorter search'}, or
                check the <a href={paths.invitations(organization.id)}>invitations</a>.
              </Empty>
            }
          />
        )}
      </>
    ),
  });
}

const roleCounts: Record<Role | 'all', CountedWords> = {
  all: { one: 'person', several: 'people' },
  owner: { one: 'owner', several: 'owners' },
  admin: { one: 'admin', several: 'admins' },
  member: { one: 'member', several: 'members' },
};

function countOf(
  { totalItems }: PageOf<ListedMember>,
  { search, filter: role, order }: ListQuery<Role, MemberOrder>,
) {
  const people = counted(totalItems, roleCounts[role ?? 'all']);
  if (search === '') return role === undefined && order === 'role' ? `${people}, owners first` : people;
  return (
    <>
      {people} with “<bdi>{search}</bdi>” in their name, email address or ID
    </>
  );
}

function columnsFor(organizationId: number, zone: TimeZone): readonly Column<ListedMember>[] {
  return [
    {
      title: 'Person',
      cell: ({ user }) => (
        <Stack>
          <a href={paths.member(organizationId, user.id)}>
            <bdi>{`${user.firstName} ${user.lastName}`}</bdi>
          </a>
          <bdi class="secondary-text">{user.email}</bdi>
        </Stack>
      ),
    },
    { title: 'Role', cell: ({ role }) => roleTitles[role], isShort: true },
    {
      title: 'Identity provider ID',
      cell: ({ idpId }) => (idpId === null ? '–' : <bdi class="id">{idpId}</bdi>),
    },
    {
      title: 'Sign-in',
      cell: ({ canSignIn }) => (canSignIn ? 'Password' : 'Login links only'),
      isShort: true,
    },
    { title: 'Joined', cell: ({ joinedAt }) => <Timestamp at={joinedAt} zone={zone} /> },
  ];
}

interface AddCardProps {
  readonly visit: MemberVisit;
  readonly form: InviteForm;
}

/** Closed, so that the people come first. A form that is given back, or shown again with its problems, is open. */
function AddCard({ visit, form }: AddCardProps) {
  const { id: organizationId } = visit.organization;
  const path = paths.people(organizationId);
  return (
    <details class="card add" open={form.problems !== noProblems || visit.token.isKept === true}>
      <summary class="button primary">Invite someone</summary>
      <p id="add">
        You get a link to send them, and they join as a member. After they accept, check who they are
        {visit.role === 'owner' && ' and change their role here'}. See{' '}
        <a href={paths.invitations(organizationId)}>invitations</a> for everyone you have invited.
      </p>
      {visit.role === 'owner' && (
        <p>
          They have an account already?{' '}
          <a href={paths.addMember(organizationId)}>Add them without an invitation</a>.
        </p>
      )}
      <InviteFields {...{ visit, form }} action={path}>
        <Button kind="primary">Invite</Button>
      </InviteFields>
    </details>
  );
}
