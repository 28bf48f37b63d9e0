import type { ListedMember, PageOf, Role } from '@rollcall/core';
import { Button } from '../design/button.js';
import { type Column, DataTable, DownloadLink, Empty, Filters } from '../design/components.js';
import { type FormProblems, INVALID_FORM_STATUS, noProblems, problemsOf } from '../design/form.js';
import { type CountedWords, counted } from '../design/list-count.js';
import { ListSearch } from '../design/list-search.js';
import { consumeNotice } from '../design/notice.js';
import { Pagination } from '../design/pagination.js';
import { Timestamp, type TimeZone, ZoneNote } from '../design/times.js';
import { invitationsPath } from '../invitations/invitation-paths.js';
import { InviteFields, type InviteForm, keptInvite, openInvite } from '../invitations/invite-form.js';
import { inviteUser } from '../invitations/invite-user.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { requireMember, showPageTo, type Visit } from '../visit.js';
import { memberPath, peoplePath } from './people-paths.js';
import { orderTexts, type PeopleQuery, parametersOf, queryIn } from './people-query.js';
import { roleTitles } from './roles.js';

/** The members of the organization with their roles, and the form to invite someone. */
export function listMembers(deps: PageDeps): Page {
  const showAgain = (visit: Visit, form: InviteForm) => showPeople(deps, visit, form);
  return {
    path: '/organizations/:id/people',
    get: requireMember(deps, { role: 'owner', section: 'people' }, async (visit) =>
      showAgain(visit, openInvite(deps, visit)),
    ),
    keptForm: keptInvite,
    post: requireMember(deps, { role: 'owner', section: 'people' }, (visit) =>
      inviteUser(deps, visit, showAgain),
    ),
  };
}

async function showPeople(deps: PageDeps, visit: Visit, form: InviteForm): Promise<void> {
  const { organization, zone, request, response } = visit;
  const query = queryIn(request);
  const listed = await deps.core
    .listMembers({ organization, ...query, page: request.query.page })
    .catch((error) => problemsOf(error, { search: 'Search' }));
  const refused = form.problems !== noProblems || !('items' in listed);
  showPageTo(visit, deps, {
    status: refused ? INVALID_FORM_STATUS : 200,
    title: `${refused ? 'Error: ' : ''}People of ${organization.name}`,
    notice: consumeNotice(deps, request, response),
    body: <PeopleView {...{ form, listed, query, zone }} organizationId={organization.id} />,
  });
}

function listPath(organizationId: number, query: PeopleQuery): string {
  const parameters = new URLSearchParams(parametersOf(query)).toString();
  return `${peoplePath(organizationId)}${parameters === '' ? '' : `?${parameters}`}`;
}

interface PeopleViewProps {
  readonly organizationId: number;
  readonly form: InviteForm;
  readonly query: PeopleQuery;
  readonly zone: TimeZone;
  /** The members found, or the problem of the search. */
  readonly listed: PageOf<ListedMember> | FormProblems;
}

function PeopleView({ organizationId, form, query, zone, listed }: PeopleViewProps) {
  const { search, role, order } = query;
  const isList = 'items' in listed;
  const isNarrowed = search !== '' || role !== undefined;
  return (
    <>
      <hgroup>
        <h1>People</h1>
        {isList && <p {...(isNarrowed && { role: 'status' as const })}>{countOf(listed, query)}</p>}
      </hgroup>
      <AddCard {...{ form, organizationId }} />
      <ListSearch
        path={peoplePath(organizationId)}
        label="Search people"
        search={search}
        problem={isList ? undefined : listed.fields.search}
        orders={Object.entries(orderTexts).map(([value, text]) => ({ value, text }))}
        order={order}
        filters={role === undefined ? {} : { role }}
        showAll="Show everyone"
      />
      <Filters
        label="People to show"
        chosen={role ?? 'all'}
        choices={[
          { name: 'all', title: 'Everyone', href: listPath(organizationId, { ...query, role: undefined }) },
          ...roles.map((name) => ({
            name,
            title: `${roleTitles[name]}s`,
            href: listPath(organizationId, { ...query, role: name }),
          })),
        ]}
      />
      {isList && <List {...{ organizationId, query, zone, listed }} />}
    </>
  );
}

const roles: readonly Role[] = ['owner', 'admin', 'member'];

const roleCounts: Record<Role | 'all', CountedWords> = {
  all: { one: 'person', several: 'people' },
  owner: { one: 'owner', several: 'owners' },
  admin: { one: 'admin', several: 'admins' },
  member: { one: 'member', several: 'members' },
};

function countOf({ totalItems }: PageOf<ListedMember>, { search, role, order }: PeopleQuery) {
  const people = counted(totalItems, roleCounts[role ?? 'all']);
  if (search === '') return role === undefined && order === 'role' ? `${people}, owners first` : people;
  return (
    <>
      {people} with “<bdi>{search}</bdi>” in their name, email address or ID
    </>
  );
}

interface ListProps {
  readonly organizationId: number;
  readonly query: PeopleQuery;
  readonly zone: TimeZone;
  readonly listed: PageOf<ListedMember>;
}

function List({ organizationId, query, zone, listed }: ListProps) {
  const { items, page, totalItems, totalPages } = listed;
  const parameters = parametersOf(query);
  const first = `?${new URLSearchParams({ ...parameters, page: '1' })}`;
  if (totalItems === 0)
    return (
      <Empty next={{ href: peoplePath(organizationId), text: 'Show everyone' }}>
        No one matches. {query.search === '' ? 'Choose another role' : 'Try a shorter search'}, or check the{' '}
        <a href={invitationsPath(organizationId)}>invitations</a>.
      </Empty>
    );
  if (items.length === 0)
    return <Empty next={{ href: first, text: 'Go to the first page' }}>This page is empty.</Empty>;
  return (
    <>
      <ZoneNote zone={zone} />
      <DataTable
        caption="People"
        columns={columnsFor(organizationId, zone)}
        rows={items}
        keyOf={({ user }) => user.id}
      />
      <Pagination current={page} total={totalPages} query={parameters} />
      <DownloadLink href={`${peoplePath(organizationId)}.csv?${new URLSearchParams(parameters)}`} />
    </>
  );
}

function columnsFor(organizationId: number, zone: TimeZone): readonly Column<ListedMember>[] {
  return [
    {
      title: 'Person',
      cell: ({ user }) => (
        <div class="stack">
          <a href={memberPath(organizationId, user.id)}>
            <bdi>{`${user.firstName} ${user.lastName}`}</bdi>
          </a>
          <bdi class="secondary-text">{user.email}</bdi>
        </div>
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

/** Closed, so that the people come first. A form that is given back, or shown again with its problems, is open. */
function AddCard({ form, organizationId }: Pick<PeopleViewProps, 'form' | 'organizationId'>) {
  return (
    <details class="card add" open={form.problems !== noProblems || form.token.isKept === true}>
      <summary class="button primary">Invite someone</summary>
      <p id="add">
        You get a link to send them, and they join as a member. After they accept, check who they are and
        change their role here. See <a href={invitationsPath(organizationId)}>invitations</a> for everyone you
        have invited.
      </p>
      <p>
        They have an account already?{' '}
        <a href={`${peoplePath(organizationId)}/add`}>Add them without an invitation</a>.
      </p>
      <InviteFields action={peoplePath(organizationId)} form={form}>
        <Button kind="primary">Invite</Button>
      </InviteFields>
    </details>
  );
}
