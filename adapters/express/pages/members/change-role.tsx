import { type Member, Refusal } from '@rollcall/core';
import {
  Form,
  type FormProblems,
  INVALID_FORM_STATUS,
  noProblems,
  problemsOf,
  Select,
} from '../design/form.js';
import { Notice } from '../design/layout.js';
import { consumeNotice, setNotice } from '../design/notice.js';
import type { FormToken } from '../form-guard.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { PageError } from '../page-error.js';
import { actorOf, requireMember, showPageTo, type Visit } from '../visit.js';
import { memberPath, peoplePath } from './list-members.js';
import { ROLES_HELP, roleChoices, roleIn } from './roles.js';

const labels = { role: 'Role' };

/** One member, with the form to change their role. */
export function changeRole(deps: PageDeps): Page {
  const { core } = deps;
  return {
    path: '/organizations/:id/people/:userId',
    get: requireMember(deps, { role: 'owner', section: 'people' }, async (visit) => {
      const found = await memberOf(deps, visit);
      await showMember(deps, visit, { member: found, role: found.role, problems: noProblems });
    }),
    post: requireMember(deps, { role: 'owner', section: 'people' }, async (visit) => {
      const { organization, request, response } = visit;
      const found = await memberOf(deps, visit);
      const role = roleIn(request);
      try {
        await core.changeRole({ organization, userId: found.user.id, role, by: actorOf(visit) });
        setNotice(deps, response, 'role-changed');
        response.redirect(303, pathAfter(visit, found, role));
      } catch (error) {
        const problems = problemsOf(error, labels, ['last-owner']);
        await showMember(deps, visit, { member: found, role, problems });
      }
    }),
  };
}

/** People who are no longer owners can't return to this page. */
function pathAfter(visit: Visit, { user }: Member, role: Member['role']): string {
  if (isSelf(visit, user) && role !== 'owner') return '/meetings';
  return memberPath(visit.organization.id, user.id);
}

export function isSelf({ session }: Visit, { id }: Member['user']): boolean {
  return session.user.id === id;
}

/** The member whom the address names. */
export async function memberOf({ core }: PageDeps, { organization, request }: Visit): Promise<Member> {
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
  { core }: PageDeps,
  { organization }: Visit,
  { role }: Member,
): Promise<boolean> {
  if (role !== 'owner') return false;
  // The owners come first.
  const { items } = await core.listMembers({ organization, size: 2 });
  return items.filter((listed) => listed.role === 'owner').length < 2;
}

export const LAST_OWNER_TEXT = 'The last owner can’t be removed. Make someone else an owner first.';

export function nameOf({ firstName, lastName }: Member['user']): string {
  return `${firstName} ${lastName}`;
}

interface MemberForm {
  readonly member: Member;
  readonly role: Member['role'];
  readonly problems: FormProblems;
}

async function showMember(deps: PageDeps, visit: Visit, form: MemberForm): Promise<void> {
  const { organization, request, response } = visit;
  const refused = form.problems !== noProblems;
  showPageTo(visit, deps, {
    status: refused ? INVALID_FORM_STATUS : 200,
    title: `${refused ? 'Error: ' : ''}${nameOf(form.member.user)}`,
    body: (
      <MemberView
        form={form}
        isSelf={isSelf(visit, form.member.user)}
        isLastOwner={await isLastOwner(deps, visit, form.member)}
        organizationId={organization.id}
        token={visit.signedIn.formToken}
        notice={consumeNotice(deps, request, response)}
      />
    ),
  });
}

interface MemberViewProps {
  readonly form: MemberForm;
  readonly isSelf: boolean;
  readonly isLastOwner: boolean;
  readonly organizationId: number;
  readonly token: FormToken;
  readonly notice: string | null;
}

function MemberView({ form, isSelf, isLastOwner, organizationId, token, notice }: MemberViewProps) {
  const { member, role, problems } = form;
  const path = memberPath(organizationId, member.user.id);
  return (
    <>
      <p class="back-link">
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
        {isSelf && <p>This is you. If you choose another role, you will lose access to this page.</p>}
        <Form action={path} token={token} problem={problems.general}>
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
      <p>{isLastOwner ? LAST_OWNER_TEXT : <a href={`${path}/remove`}>Remove from the organization</a>}</p>
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
