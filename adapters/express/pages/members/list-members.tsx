import type { ListedMember, PageOf } from '@rollcall/core';
import type { Request } from 'express';
import { Button } from '../design/button.js';
import { type Column, DataTable, Empty } from '../design/components.js';
import { Field, type FormProblems, INVALID_FORM_STATUS, noProblems, problemsOf } from '../design/form.js';
import { Notice } from '../design/layout.js';
import { consumeNotice } from '../design/notice.js';
import { Pagination } from '../design/pagination.js';
import type { FormToken } from '../form-guard.js';
import { invitationsPath } from '../invitations/invitation-paths.js';
import { emptyInvite, InviteFields, type InviteForm } from '../invitations/invite-form.js';
import { inviteUser } from '../invitations/invite-user.js';
import { organizationPath } from '../organization/sections.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { requireMember, showPageTo, type Visit } from '../visit.js';
import { roleTitles } from './roles.js';

/** The members of the organization with their roles, and the form to invite someone. */
export function listMembers(deps: PageDeps): Page {
  const showAgain = (visit: Visit, form: InviteForm) => showPeople(deps, visit, form);
  return {
    path: '/organizations/:id/people',
    get: requireMember(deps, { role: 'owner', section: 'people' }, (visit) => showAgain(visit, emptyInvite)),
    post: requireMember(deps, { role: 'owner', section: 'people' }, (visit) =>
      inviteUser(deps, visit, showAgain),
    ),
  };
}

export function peoplePath(organizationId: number): string {
  return `${organizationPath(organizationId)}/people`;
}

/** The page of one member. */
export function memberPath(organizationId: number, userId: number): string {
  return `${peoplePath(organizationId)}/${userId}`;
}

async function showPeople(deps: PageDeps, visit: Visit, form: InviteForm): Promise<void> {
  const { organization, request, response } = visit;
  const search = searchIn(request);
  const listed = await deps.core
    .listMembers({ organization, search, page: request.query.page })
    .catch((error) => problemsOf(error, { search: 'Search' }));
  const refused = form.problems !== noProblems || !('items' in listed);
  showPageTo(visit, deps, {
    status: refused ? INVALID_FORM_STATUS : 200,
    title: `${refused ? 'Error: ' : ''}People of ${organization.name}`,
    body: (
      <PeopleView
        {...{ form, listed, search }}
        organizationId={organization.id}
        token={visit.signedIn.formToken}
        notice={consumeNotice(deps, request, response)}
      />
    ),
  });
}

/** Empty when there is no search. */
function searchIn({ query }: Request): string {
  return typeof query.search === 'string' ? query.search.trim() : '';
}

interface PeopleViewProps {
  readonly organizationId: number;
  readonly form: InviteForm;
  readonly search: string;
  /** The members found, or the problem of the search. */
  readonly listed: PageOf<ListedMember> | FormProblems;
  readonly token: FormToken;
  readonly notice: string | null;
}

function PeopleView({ organizationId, form, search, listed, token, notice }: PeopleViewProps) {
  const path = peoplePath(organizationId);
  const isList = 'items' in listed;
  return (
    <>
      <hgroup>
        <h1>People</h1>
        {isList && <p>{countOf(listed, search)}</p>}
      </hgroup>
      {notice !== null && <Notice>{notice}</Notice>}
      <Search {...{ path, search }} problem={isList ? undefined : listed.fields.search} />
      {isList && <List {...{ organizationId, search, listed }} />}
      <AddCard {...{ form, token, organizationId }} />
    </>
  );
}

function countOf({ totalItems }: PageOf<ListedMember>, search: string) {
  const people = totalItems === 1 ? '1 person' : `${totalItems} people`;
  if (search === '') return `${people}, owners first`;
  return (
    <>
      {people} with “<bdi>{search}</bdi>” in their name, email address or ID
    </>
  );
}

interface SearchProps {
  readonly path: string;
  readonly search: string;
  readonly problem: string | undefined;
}

/** The result has an address that can be bookmarked. */
function Search({ path, search, problem }: SearchProps) {
  return (
    <search>
      <form class="search-form" method="get" action={path} noValidate>
        <Field
          isRequired={false}
          name="search"
          label="Search people"
          autocomplete="off"
          value={search}
          help="Part of a name, email address or identity provider ID. Accents and case don’t matter."
          problem={problem}
        />
        <div class="actions">
          <Button kind="secondary">Search</Button>
          {search !== '' && <a href={path}>Show everyone</a>}
        </div>
      </form>
    </search>
  );
}

interface ListProps {
  readonly organizationId: number;
  readonly search: string;
  readonly listed: PageOf<ListedMember>;
}

function List({ organizationId, search, listed: { items, page, totalItems, totalPages } }: ListProps) {
  const path = peoplePath(organizationId);
  const query = search === '' ? {} : { search };
  const first = `?${new URLSearchParams({ ...query, page: '1' })}`;
  if (totalItems === 0)
    return (
      <Empty next={{ href: path, text: 'Show everyone' }}>
        No one matches. Try a shorter search, or check the{' '}
        <a href={invitationsPath(organizationId)}>invitations</a>.
      </Empty>
    );
  if (items.length === 0)
    return <Empty next={{ href: first, text: 'Go to the first page' }}>This page is empty.</Empty>;
  return (
    <>
      <DataTable
        caption="People, owners first"
        columns={columnsFor(organizationId)}
        rows={items}
        keyOf={({ user }) => user.id}
      />
      <Pagination current={page} total={totalPages} query={query} />
    </>
  );
}

function columnsFor(organizationId: number): readonly Column<ListedMember>[] {
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
    { title: 'Identity provider ID', cell: ({ idpId }) => <bdi>{idpId ?? '–'}</bdi> },
    {
      title: 'Sign-in',
      cell: ({ canSignIn }) => (canSignIn ? 'Password' : 'Login links only'),
      isShort: true,
    },
  ];
}

/** The form's address has an anchor, because this card may be below a long list. */
function AddCard({
  form,
  token,
  organizationId,
}: Pick<PeopleViewProps, 'form' | 'token' | 'organizationId'>) {
  return (
    <section class="card" id="add" aria-labelledby="add-title">
      <h2 id="add-title">Add someone</h2>
      <p>
        You get a link to send them, and they join as a member. After they accept, check who they are and
        change their role here. See <a href={invitationsPath(organizationId)}>invitations</a> for everyone you
        have invited.
      </p>
      <p>
        They have an account already?{' '}
        <a href={`${peoplePath(organizationId)}/add`}>Add them without an invitation</a>.
      </p>
      <InviteFields action={`${peoplePath(organizationId)}#add`} form={form} token={token}>
        <Button kind="primary">Invite</Button>
      </InviteFields>
    </section>
  );
}
