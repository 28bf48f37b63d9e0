import { type Member, Refusal, type Role } from '@rollcall/core';
import { BackLink, Button, ButtonLink, Facts, OnThisPage } from '../design/components.js';
import {
  Field,
  Form,
  type FormProblems,
  isOutdated,
  noProblems,
  problemsOf,
  Select,
} from '../design/form.js';
import { Timestamp, zoneName } from '../design/times.js';
import { PageError } from '../errors/error-page.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import { canonicalId, type MemberVisit } from '../visit.js';
import { idpIdProblems } from './idp-id-problems.js';
import { ROLES_HELP, roleChoices, roleTitles } from './roles.js';

const memberLabels = { role: 'Role', idpId: 'Identity provider ID' };

/** The field with the ID that the form showed, so that a form does not overwrite a later change. */
export const SHOWN_IDP_ID = 'shown_idp_id';

/** The same for the role. */
const SHOWN_ROLE = 'shown_role';

/** One member, with the form to change their role. */
export const changeRole = memberPage({
  path: paths.member(':id', ':userId'),
  role: 'owner',
  section: 'people',
  keeps: ['role', SHOWN_ROLE],
  get: async (visit) => showMember(visit, formsOf(await memberOf(visit))),
  async post(visit) {
    const { core, organization, by } = visit;
    const found = await memberOf(visit);
    // The core refuses unknown roles.
    const role = visit.field('role') as Role;
    // A form that someone opened before an update of the service shows no role.
    const replaces = (visit.field(SHOWN_ROLE) || undefined) as Role | undefined;
    try {
      await core.changeRole({ organization, userId: found.user.id, role, replaces, by });
      visit.leadTo(pathAfter(visit, found, role), 'role-changed');
    } catch (error) {
      const problems = problemsOf(error, memberLabels, ['last-owner']);
      const member = await memberOf(visit);
      // Only a reader who was told of the change may overwrite it.
      const asShown = isOutdated(error)
        ? { shownRole: member.role, roleProblems: outdated(member, role) }
        : { shownRole: replaces ?? member.role, roleProblems: problems };
      await showMember(visit, { ...formsOf(member), role, ...asShown });
    }
  },
});

/** Asks whether to replace the role that the member has by now. */
function outdated({ role: current }: Member, role: Role): FormProblems {
  const change = `Someone changed the role to ${roleTitles[current]} after you opened this page`;
  return { general: null, fields: { role: `${change}. Save again to make it ${roleTitles[role]}.` } };
}

/** People who are no longer owners can't return to this page. */
function pathAfter(visit: MemberVisit, { user }: Member, role: Member['role']): string {
  if (isSelf(visit, user) && role !== 'owner') return paths.memberships;
  return paths.member(visit.organization.id, user.id);
}

export function isSelf({ session }: MemberVisit, { id }: Member['user']): boolean {
  return session.user.id === id;
}

/** The member whom the address names. */
export async function memberOf({ core, organization, request }: MemberVisit): Promise<Member> {
  try {
    return await core.readMember({ organization, userId: canonicalId(request.params.userId) });
  } catch (error) {
    if (error instanceof Refusal && error.code === 'member-not-found') throw new PageError('not-found');
    throw error;
  }
}

/** Whether this is the organization's only owner. */
export async function isLastOwner({ core, organization }: MemberVisit, { role }: Member): Promise<boolean> {
  if (role !== 'owner') return false;
  // The owners come first.
  const { items } = await core.listMembers({ organization, size: 2 });
  return items.filter((listed) => listed.role === 'owner').length < 2;
}

export const LAST_OWNER_TEXT = 'The last owner can’t be removed. Make someone else an owner first.';

export function nameOf({ firstName, lastName }: Member['user']): string {
  return `${firstName} ${lastName}`;
}

/** The member with the input of the forms. */
interface MemberForms {
  readonly member: Member;
  readonly role: Member['role'];
  /** The role that the reader has seen. */
  readonly shownRole: Member['role'];
  readonly roleProblems: FormProblems;
  readonly idpId: string;
  /** The ID that the reader has seen. Empty: none. */
  readonly shownIdpId: string;
  readonly idpIdProblems: FormProblems;
  /** The form that is given back, if any. */
  readonly keptForm?: 'role' | 'idp-id';
}

/** The forms as they are before any input. */
function formsOf(member: Member): MemberForms {
  const { role, idpId } = member;
  const shownIdpId = idpId ?? '';
  return {
    ...{ member, role, shownRole: role, roleProblems: noProblems },
    ...{ idpId: shownIdpId, shownIdpId, idpIdProblems: noProblems },
  };
}

async function showMember(visit: MemberVisit, shown: MemberForms): Promise<void> {
  const { zone, token, kept } = visit;
  const { id } = visit.organization;
  const { member, role, shownRole, roleProblems, idpId, shownIdpId, idpIdProblems, keptForm } = {
    ...shown,
    ...keptForms(kept),
  };
  const { user, uuid, joinedAt } = member;
  const tokenFor = (form: MemberForms['keptForm']) => ({ ...token, isKept: keptForm === form });
  const isLast = await isLastOwner(visit, member);
  visit.show({
    title: nameOf(user),
    problems: roleProblems === noProblems ? idpIdProblems : roleProblems,
    notice: visit.consumeNotice(),
    body: (
      <>
        <BackLink href={paths.people(id)}>People</BackLink>
        <h1>
          <bdi>{nameOf(user)}</bdi>
        </h1>
        <OnThisPage parts={parts} />
        <section class="card" aria-label="Details">
          <Facts
            of={{
              'Email address': <bdi>{user.email}</bdi>,
              UUID: <code>{uuid}</code>,
              Joined: (
                <>
                  <Timestamp at={joinedAt} zone={zone} /> ({zoneName(zone)})
                </>
              ),
            }}
          />
          <ButtonLink kind="secondary" href={paths.memberName(id, user.id)}>
            Correct the name
          </ButtonLink>
        </section>
        <section class="card" aria-labelledby="change-role">
          <h2 id="change-role">Role</h2>
          {isSelf(visit, user) && (
            <p>This is you. If you choose another role, you will lose access to this page.</p>
          )}
          <Form action={paths.member(id, user.id)} token={tokenFor('role')} problem={roleProblems.general}>
            <input type="hidden" name={SHOWN_ROLE} value={shownRole} />
            <Select
              name="role"
              label={memberLabels.role}
              choices={roleChoices}
              value={role}
              help={`${ROLES_HELP} We don’t verify email addresses: check who this is before promoting them.`}
              problem={roleProblems.fields.role}
            />
            <div class="actions">
              <Button kind="primary">Save the role</Button>
            </div>
          </Form>
        </section>
        <section class="card" aria-labelledby="idp-id">
          <h2 id="idp-id">{memberLabels.idpId}</h2>
          <Form action={paths.idpId(id, user.id)} token={tokenFor('idp-id')} problem={idpIdProblems.general}>
            <input type="hidden" name={SHOWN_IDP_ID} value={shownIdpId} />
            <Field
              isRequired={false}
              name="idp_id"
              label="ID"
              autocomplete="off"
              value={idpId}
              help="Your own ID of this person, such as the one in your single sign-on system. Your programs can find the person by it. Leave it empty for none."
              problem={idpIdProblems.fields.idpId}
              link={idpIdProblems.links?.idpId}
            />
            <div class="actions">
              <Button kind="secondary">Save the ID</Button>
            </div>
          </Form>
        </section>
        <Membership {...{ visit, member }} isLastOwner={isLast} />
      </>
    ),
  });
}

function keptForms(kept: MemberVisit['kept']): Partial<MemberForms> {
  if (kept === null) return {};
  const { role, idp_id: idpId, [SHOWN_IDP_ID]: shownIdpId = '' } = kept;
  if (idpId !== undefined) return { idpId, shownIdpId, keptForm: 'idp-id' };
  const [choice, shown] = [roleNamed(role), roleNamed(kept[SHOWN_ROLE])];
  if (choice === undefined) return {};
  return { role: choice, ...(shown !== undefined && { shownRole: shown }), keptForm: 'role' };
}

function roleNamed(name: string | undefined): Role | undefined {
  return roleChoices.find(({ value }) => value === name)?.value;
}

const parts = [
  { id: 'change-role', title: 'Role' },
  { id: 'idp-id', title: memberLabels.idpId },
  { id: 'membership', title: 'Membership' },
];

interface MembershipProps {
  readonly visit: MemberVisit;
  readonly member: Member;
  readonly isLastOwner: boolean;
}

function Membership({ visit, member: { user }, isLastOwner }: MembershipProps) {
  return (
    <section class="card" aria-labelledby="membership">
      <h2 id="membership">Membership</h2>
      {isLastOwner ? (
        <p>{LAST_OWNER_TEXT}</p>
      ) : (
        <>
          <p>
            {isSelf(visit, user)
              ? 'Removing yourself ends your access at once. Your account and your seats in meetings stay.'
              : 'Removing this person ends their access at once. Their account and their seats in meetings stay.'}
          </p>
          <ButtonLink kind="destructive" href={paths.removeMember(visit.organization.id, user.id)}>
            Remove from the organization
          </ButtonLink>
        </>
      )}
    </section>
  );
}

/** The form for a member's ID at the identity provider, which is on the member's page. */
export const setIdpId = memberPage({
  path: paths.idpId(':id', ':userId'),
  role: 'owner',
  section: 'people',
  keeps: ['idp_id', SHOWN_IDP_ID],
  async get(visit) {
    if (visit.kept !== null) return showMember(visit, formsOf(await memberOf(visit)));
    const { user } = await memberOf(visit);
    visit.leadTo(paths.member(visit.organization.id, user.id));
  },
  async post(visit) {
    const { core, organization, by } = visit;
    const { uuid, user } = await memberOf(visit);
    const idpId = visit.field('idp_id').trim();
    const shown = visit.field(SHOWN_IDP_ID);
    try {
      const change = { idpId: idpId || null, replaces: shown || null };
      await core.setIdpId({ organization, uuid, ...change, by });
      visit.leadTo(paths.member(organization.id, user.id), 'idp-id-set');
    } catch (error) {
      const problems = await idpIdProblems(visit, error, { idpId, labels: memberLabels });
      const forms = formsOf(await memberOf(visit));
      // Only a reader who was told of the change may overwrite it.
      const shownIdpId = isOutdated(error) ? forms.shownIdpId : shown;
      await showMember(visit, { ...forms, idpId, shownIdpId, idpIdProblems: problems });
    }
  },
});
