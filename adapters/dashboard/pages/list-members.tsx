import type { ListedMember, PageOf } from '@rollcall/core';
import type { Dashboard } from '../dashboard.js';
import { NOT_ACCEPTED, noProblems } from '../form.js';
import type { FormToken } from '../form-guard.js';
import { emptyInvite, InviteFields, type InviteForm } from '../invite-form.js';
import { Notice } from '../layout.js';
import { takeNotice } from '../notice.js';
import type { Page } from '../page.js';
import { Pagination } from '../pagination.js';
import { type Column, DataTable, Empty } from '../parts.js';
import { roleTitles } from '../roles.js';
import { organizationPath } from '../sections.js';
import { inOrganization, showTo, type Visit } from '../visit.js';
import { invitationsPath, invite } from './list-invitations.js';

/** The people of the organization with their roles, and the form to invite one. */
export function people(dashboard: Dashboard): Page {
  const showAgain = (visit: Visit, form: InviteForm) => showPeople(dashboard, visit, form);
  return {
    path: '/organizations/:id/people',
    get: inOrganization(dashboard, { role: 'owner', section: 'people' }, (visit) =>
      showAgain(visit, emptyInvite),
    ),
    post: inOrganization(dashboard, { role: 'owner', section: 'people' }, (visit) =>
      invite(dashboard, visit, showAgain),
    ),
  };
}

export function peoplePath(organizationId: number): string {
  return `${organizationPath(organizationId)}/people`;
}

/** The page of one of them. */
export function memberPagePath(organizationId: number, userId: number): string {
  return `${peoplePath(organizationId)}/${userId}`;
}

async function showPeople(dashboard: Dashboard, visit: Visit, form: InviteForm): Promise<void> {
  const { organization, request, response } = visit;
  const listed = await dashboard.core.listMembers({ organization, page: request.query.page });
  const refused = form.problems !== noProblems;
  showTo(visit, dashboard, {
    status: refused ? NOT_ACCEPTED : 200,
    title: `${refused ? 'Error: ' : ''}People of ${organization.name}`,
    body: (
      <PeopleView
        {...{ form, listed }}
        organizationId={organization.id}
        token={visit.signedIn.formToken}
        notice={takeNotice(dashboard, request, response)}
      />
    ),
  });
}

interface PeopleViewProps {
  readonly organizationId: number;
  readonly form: InviteForm;
  readonly listed: PageOf<ListedMember>;
  readonly token: FormToken;
  readonly notice: string | null;
}

function PeopleView({ organizationId, form, listed, token, notice }: PeopleViewProps) {
  const { items, page, totalItems, totalPages } = listed;
  return (
    <>
      <hgroup>
        <h1>People</h1>
        <p>{totalItems === 1 ? '1 person' : `${totalItems} people`}, the owners first</p>
      </hgroup>
      {notice !== null && <Notice>{notice}</Notice>}
      {items.length === 0 ? (
        <Empty>
          <p>
            There is nothing on this page. <a href="?page=1">Go to the first page</a>
          </p>
        </Empty>
      ) : (
        <DataTable
          caption="The people of the organization, the owners first"
          columns={columnsFor(organizationId)}
          rows={items}
          keyOf={({ user }) => user.id}
        />
      )}
      <Pagination current={page} total={totalPages} />
      <AddCard {...{ form, token, organizationId }} />
    </>
  );
}

function columnsFor(organizationId: number): readonly Column<ListedMember>[] {
  return [
    {
      title: 'Person',
      cell: ({ user }) => (
        <div class="lines">
          <a href={memberPagePath(organizationId, user.id)}>
            <bdi>{`${user.firstName} ${user.lastName}`}</bdi>
          </a>
          <bdi class="fine">{user.email}</bdi>
        </div>
      ),
    },
    { title: 'Role', cell: ({ role }) => roleTitles[role], isShort: true },
    { title: 'Identity provider', cell: ({ idpId }) => <bdi>{idpId ?? '–'}</bdi> },
    {
      title: 'Signs in',
      cell: ({ canSignIn }) => (canSignIn ? 'with a password' : 'by login links only'),
      isShort: true,
    },
  ];
}

/** A refused form comes back at this card, which may be below a long list. */
function AddCard({
  form,
  token,
  organizationId,
}: Pick<PeopleViewProps, 'form' | 'token' | 'organizationId'>) {
  return (
    <section class="card" id="add" aria-labelledby="add-title">
      <h2 id="add-title">Add somebody</h2>
      <p>
        You get a URL to pass on, with which they join as a member. When they have accepted, look who it is
        and change their role here. Who is invited is on the page of{' '}
        <a href={invitationsPath(organizationId)}>invitations</a>.
      </p>
      <InviteFields action={`${peoplePath(organizationId)}#add`} form={form} token={token}>
        <button type="submit">Invite</button>
      </InviteFields>
    </section>
  );
}
