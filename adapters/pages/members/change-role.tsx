import { type Member, Refusal } from '@rollcall/core';
import type { Dashboard } from '../dashboard.js';
import { Form, type FormProblems, NOT_ACCEPTED, noProblems, problemsOf, Select } from '../design/form.js';
import { Notice } from '../design/layout.js';
import { leaveNotice, takeNotice } from '../design/notice.js';
import type { FormToken } from '../form-guard.js';
import type { Page } from '../page.js';
import { PageError } from '../page-error.js';
import { byVisitor, inOrganization, showTo, type Visit } from '../visit.js';
import { memberPagePath, peoplePath } from './list-members.js';
import { ROLES_HELP, roleChoices, roleIn } from './roles.js';

const labels = { role: 'Role' };

/** One member, with the form to change their role. */
export function changeRole(dashboard: Dashboard): Page {
  const { core } = dashboard;
  return {
    path: '/organizations/:id/people/:userId',
    get: inOrganization(dashboard, { role: 'owner', section: 'people' }, async (visit) => {
      const found = await memberOf(dashboard, visit);
      await showMember(dashboard, visit, { member: found, role: found.role, problems: noProblems });
    }),
    post: inOrganization(dashboard, { role: 'owner', section: 'people' }, async (visit) => {
      const { organization, request, response } = visit;
      const found = await memberOf(dashboard, visit);
      const role = roleIn(request);
      try {
        await core.changeRole({ organization, userId: found.user.id, role, by: byVisitor(visit) });
        leaveNotice(dashboard, response, 'role-changed');
        response.redirect(303, pathAfter(visit, found, role));
      } catch (error) {
        const problems = problemsOf(error, labels, ['last-owner']);
        await showMember(dashboard, visit, { member: found, role, problems });
      }
    }),
  };
}

/** People who are no longer owners can't return to this page. */
function pathAfter(visit: Visit, { user }: Member, role: Member['role']): string {
  if (isVisitor(visit, user) && role !== 'owner') return '/meetings';
  return memberPagePath(visit.organization.id, user.id);
}

export function isVisitor({ session }: Visit, { id }: Member['user']): boolean {
  return session.user.id === id;
}

/** The member whom the address names. */
export async function memberOf({ core }: Dashboard, { organization, request }: Visit): Promise<Member> {
  const text = String(request.params.userId);
  if (!/^[1-9]\d{0,15}$/.test(text)) throw new PageError('not-found');
  try {
    return await core.readMember({ organization, userId: Number(text) });
  } catch (error) {
    if (error instanceof Refusal && error.code === 'member-not-found') throw new PageError('not-found');
    throw error;
  }
}

/** Whether this is the organization's only owner. */
export async function isLastOwner(
  { core }: Dashboard,
  { organization }: Visit,
  { role }: Member,
): Promise<boolean> {
  if (role !== 'owner') return false;
  // The owners come first.
  const { items } = await core.listMembers({ organization, size: 2 });
  return items.filter((listed) => listed.role === 'owner').length < 2;
}

export const LAST_OWNER = 'The last owner can’t be removed. Make someone else an owner first.';

export function nameOf({ firstName, lastName }: Member['user']): string {
  return `${firstName} ${lastName}`;
}

interface MemberForm {
  readonly member: Member;
  readonly role: Member['role'];
  readonly problems: FormProblems;
}

async function showMember(dashboard: Dashboard, visit: Visit, form: MemberForm): Promise<void> {
  const { organization, request, response } = visit;
  const refused = form.problems !== noProblems;
  showTo(visit, dashboard, {
    status: refused ? NOT_ACCEPTED : 200,
    title: `${refused ? 'Error: ' : ''}${nameOf(form.member.user)}`,
    body: (
      <MemberView
        form={form}
        isVisitor={isVisitor(visit, form.member.user)}
        isLastOwner={await isLastOwner(dashboard, visit, form.member)}
        organizationId={organization.id}
        token={visit.signedIn.formToken}
        notice={takeNotice(dashboard, request, response)}
      />
    ),
  });
}

interface MemberViewProps {
  readonly form: MemberForm;
  readonly isVisitor: boolean;
  readonly isLastOwner: boolean;
  readonly organizationId: number;
  readonly token: FormToken;
  readonly notice: string | null;
}

function MemberView({ form, isVisitor, isLastOwner, organizationId, token, notice }: MemberViewProps) {
  const { member, role, problems } = form;
  const path = memberPagePath(organizationId, member.user.id);
  return (
    <>
      <p class="way-back">
        <a href={peoplePath(organizationId)}>People</a>
      </p>
      <h1>
        <bdi>{nameOf(member.user)}</bdi>
      </h1>
      {notice !== null && <Notice>{notice}</Notice>}
      <section class="card">
        <MemberFacts member={member} />
      </section>
      <section class="card" aria-labelledby="change-role">
        <h2 id="change-role">Role</h2>
        {isVisitor && <p>This is you. If you choose another role, you will lose access to this page.</p>}
        <Form action={path} token={token} problem={problems.whole}>
          <Select
            name="role"
            label={labels.role}
            choices={roleChoices}
            value={role}
            help={`${ROLES_HELP} We don’t verify email addresses: check who this is before promoting them.`}
            problem={problems.fields.role}
          />
          <div class="actions">
            <button type="submit">Save the role</button>
          </div>
        </Form>
      </section>
      <p>{isLastOwner ? LAST_OWNER : <a href={`${path}/remove`}>Remove from the organization</a>}</p>
    </>
  );
}

function MemberFacts({ member: { user, uuid, idpId } }: { readonly member: Member }) {
  return (
    <dl class="facts">
      <dt>Email address</dt>
      <dd>
        <bdi>{user.email}</bdi>
      </dd>
      <dt>UUID</dt>
      <dd>
        <code>{uuid}</code>
      </dd>
      <dt>ID at your identity provider</dt>
      <dd>
        <bdi>{idpId ?? '–'}</bdi>
      </dd>
    </dl>
  );
}
