import type { ListedMember, PageOf, Role } from '@rollcall/core';
import type { Dashboard } from '../dashboard.js';
import { Field, Form, type FormProblems, NOT_ACCEPTED, noProblems, problemsOf, Select } from '../form.js';
import { type FormToken, fieldOf } from '../form-guard.js';
import { Notice } from '../layout.js';
import { leaveNotice, takeNotice } from '../notice.js';
import type { Page } from '../page.js';
import { Pagination } from '../pagination.js';
import { type Column, DataTable, Empty } from '../parts.js';
import { roleChoices, roleIn, roleTitles } from '../roles.js';
import { organizationPath } from '../sections.js';
import { byVisitor, inOrganization, showTo, type Visit } from '../visit.js';

const labels = { email: 'E-mail address', role: 'Role', idp_id: 'Id at your identity provider' };
const nobody: NewPerson = { email: '', role: 'member', idpId: '' };

/** The people of the organization with their roles, and the form to add one. */
export function people(dashboard: Dashboard): Page {
  const { core } = dashboard;
  return {
    path: '/organizations/:id/people',
    get: inOrganization(dashboard, { role: 'owner', section: 'people' }, (visit) =>
      showPeople(dashboard, visit, { person: nobody, problems: noProblems }),
    ),
    post: inOrganization(dashboard, { role: 'owner', section: 'people' }, async (visit) => {
      const { organization, request, response } = visit;
      const person = {
        email: fieldOf(request, 'email'),
        role: roleIn(request),
        idpId: fieldOf(request, 'idp_id'),
      };
      try {
        const { user } = await core.addMember({
          ...person,
          organizationId: organization.id,
          idpId: person.idpId === '' ? null : person.idpId,
          by: byVisitor(visit),
        });
        leaveNotice(dashboard, response, 'member-added');
        response.redirect(303, memberPagePath(organization.id, user.id));
      } catch (error) {
        const problems = problemsOf(error, labels, ['user-not-found', 'already-member']);
        await showPeople(dashboard, visit, { person, problems });
      }
    }),
  };
}

export function peoplePath(organizationId: number): string {
  return `${organizationPath(organizationId)}/people`;
}

/** The page of one of them. */
export function memberPagePath(organizationId: number, userId: number): string {
  return `${peoplePath(organizationId)}/${userId}`;
}

interface NewPerson {
  readonly email: string;
  readonly role: Role;
  readonly idpId: string;
}

interface PersonForm {
  readonly person: NewPerson;
  readonly problems: FormProblems;
}

async function showPeople(dashboard: Dashboard, visit: Visit, form: PersonForm): Promise<void> {
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
  readonly form: PersonForm;
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

function AddCard({
  form: { person, problems },
  token,
  organizationId,
}: Pick<PeopleViewProps, 'form' | 'token' | 'organizationId'>) {
  return (
    <section class="card" aria-labelledby="add">
      <h2 id="add">Add somebody</h2>
      <p>
        For people who have an account here and belong to no organization. Everybody else has to agree:{' '}
        <a href={`${organizationPath(organizationId)}/invitations`}>invite them</a>, and give them their role
        when they have accepted.
      </p>
      <Form action={peoplePath(organizationId)} token={token} problem={problems.whole}>
        <Field
          name="email"
          label={labels.email}
          type="email"
          autocomplete="off"
          value={person.email}
          problem={problems.fields.email}
        />
        <Select
          name="role"
          label={labels.role}
          choices={roleChoices}
          value={person.role}
          problem={problems.fields.role}
        />
        <Field
          name="idp_id"
          label={`${labels.idp_id} (may be empty)`}
          autocomplete="off"
          value={person.idpId}
          isRequired={false}
          help="Under which programs ask for the person’s meetings."
          problem={problems.fields.idp_id}
        />
        <div class="actions">
          <button type="submit">Add</button>
        </div>
      </Form>
    </section>
  );
}
