import type { AskedSecondFactor, Member, Role } from '@rollcall/core';
import { confirmSecondFactor, identityOf } from '../account/own-identity.js';
import { nameOf } from '../design/avatar.js';
import { BackLink, ButtonLink, Card } from '../design/components.js';
import { Field, Form, HiddenFields, noProblems, Select, Submit } from '../design/form.js';
import { PageError } from '../errors/error-page.js';
import { memberForm, openedForm, type ShownForm } from '../form-page.js';
import { paths } from '../paths.js';
import { listPath } from '../place.js';
import { SecondFactorFields, secondFactorLabels } from '../second-factor/second-factor-fields.js';
import { canonicalId, type MemberVisit, type PartProps } from '../visit.js';
import { Details, Doings, readAbout } from './about-member.js';
import { idpIdProblems } from './idp-id-problems.js';
import { ROLES_HELP, roleChoices, roleTitles } from './roles.js';

/** The field with the ID that the form showed. */
export const SHOWN_IDP_ID = 'shown_idp_id';

/** The same for the role. */
const SHOWN_ROLE = 'shown_role';

const roleForm = {
  fields: ['role', SHOWN_ROLE],
  labels: { role: 'Role', ...secondFactorLabels },
  alsoShown: ['last-owner'],
  seen: SHOWN_ROLE,
  about: memberOf,
  initial: ({ role }: Member) => ({ role, [SHOWN_ROLE]: role }),
  outdated(current: Member, { role }: RoleValues) {
    const change = `Someone changed the role to ${roleTitles[current.role]} after you opened this page`;
    return { role: `${change}. Save again to make it ${roleTitles[role as Role]}.` };
  },
  async send(visit: MemberVisit, { role: chosen, [SHOWN_ROLE]: shown }: RoleValues) {
    const { core, organization, by } = visit;
    // Admins may read the page.
    if (visit.role !== 'owner') throw new PageError('not-found');
    const found = await memberOf(visit);
    // Otherwise someone who finds a session open makes an owner, who has a password of their own.
    if (chosen !== found.role) await confirmSecondFactor(visit);
    // The core refuses unknown roles. A form that someone opened before an update of the service shows no role.
    const [role, replaces] = [chosen as Role, (shown || undefined) as Role | undefined];
    await core.changeRole({ organization, userId: found.user.id, role, replaces, by });
    // People who are no longer owners can't return to this page.
    const isLeaving = isSelf(visit, found.user) && role !== 'owner';
    const path = isLeaving ? paths.memberships : paths.member(organization.id, found.user.id);
    visit.leadTo(path, 'role-changed');
  },
} as const;

type RoleValues = Readonly<Record<'role' | typeof SHOWN_ROLE, string>>;

/** One member, with the forms of owners to change what is known of them. */
export const changeRole = memberForm({
  path: paths.member(':id', ':userId'),
  ...roleForm,
  show: (visit, role) =>
    showMember(visit, { role, idpId: openedForm(idpIdForm, role.about, visit), typed: 'role' }),
});

const idpIdForm = {
  fields: ['idp_id', SHOWN_IDP_ID],
  labels: { idpId: 'Identity provider ID' },
  seen: SHOWN_IDP_ID,
  problems: idpIdProblems,
  about: memberOf,
  initial: ({ idpId }: Member) => ({ idp_id: idpId ?? '', [SHOWN_IDP_ID]: idpId ?? '' }),
  async send(visit: MemberVisit, { idp_id: idpId, [SHOWN_IDP_ID]: shown }: IdpIdValues) {
    const { core, organization, by } = visit;
    const { uuid, user } = await memberOf(visit);
    const change = { idpId: idpId || null, replaces: shown || null };
    await core.setIdpId({ organization, uuid, ...change, by });
    visit.leadTo(paths.member(organization.id, user.id), 'idp-id-set');
  },
} as const;

type IdpIdValues = Readonly<Record<'idp_id' | typeof SHOWN_IDP_ID, string>>;

/** The form for a member's ID at the identity provider, which is on the member's page. */
export const setIdpId = memberForm({
  path: paths.idpId(':id', ':userId'),
  role: 'owner',
  ...idpIdForm,
  show(visit, idpId) {
    const { about: member, problems } = idpId;
    if (visit.kept === null && problems === noProblems)
      return visit.leadTo(paths.member(visit.organization.id, member.user.id));
    return showMember(visit, { role: openedForm(roleForm, member, visit), idpId, typed: 'idpId' });
  },
});

export function isSelf({ session }: MemberVisit, { id }: Member['user']): boolean {
  return session.user.id === id;
}

export async function memberOf({ core, organization, request }: MemberVisit): Promise<Member> {
  return core.readMember({ organization, userId: canonicalId(request.params.userId) });
}

export async function isLastOwner({ core, organization }: MemberVisit, { role }: Member): Promise<boolean> {
  if (role !== 'owner') return false;
  const { counts } = await core.listMembers({ organization, size: 1 });
  return counts.owner < 2;
}

export const LAST_OWNER_TEXT = 'The last owner can’t be removed. Make someone else an owner first.';

interface MemberForms {
  readonly role: ShownForm<keyof RoleValues, Member>;
  readonly idpId: ShownForm<keyof IdpIdValues, Member>;
  /** The form that the reader has typed into, if any. */
  readonly typed: 'role' | 'idpId';
}

async function showMember(visit: MemberVisit, forms: MemberForms): Promise<void> {
  const { about: member } = forms.role;
  const isOwner = visit.role === 'owner';
  const about = await readAbout(visit, member);
  const identity = isOwner ? await identityOf(visit) : null;
  const name = nameOf(member.user);
  visit.show(
    { title: name, problems: forms[forms.typed].problems, notice: visit.consumeNotice() },
    <BackLink href={listPath(visit, paths.people(visit.organization.id))}>People</BackLink>,
    <h1>
      <bdi>{name}</bdi>
    </h1>,
    <Details {...{ visit, about }} />,
    isOwner && <Forms {...{ visit, forms, identity }} isIdpIdKept={about.isIdpIdKept} />,
    <Doings {...{ visit, about }} />,
    isOwner && <Membership {...{ visit, member }} isLastOwner={await isLastOwner(visit, member)} />,
  );
}

type FormsProps = PartProps<{ forms: MemberForms; identity: AskedSecondFactor | null; isIdpIdKept: boolean }>;

function Forms({ visit, forms, identity, isIdpIdKept }: FormsProps) {
  const { id } = visit.organization;
  const { role, idpId, typed } = forms;
  const { user } = role.about;
  const { token } = visit;
  const tokenFor = (form: typeof typed) => ({ ...token, isKept: token.isKept === true && typed === form });
  return (
    <Card id="change-role" title={isIdpIdKept ? 'Role' : 'Role and ID'}>
      {isSelf(visit, user) && (
        <p>This is you. If you choose another role, you will lose access to this page.</p>
      )}
      <Form action={paths.member(id, user.id)} token={tokenFor('role')} problem={role.problems.general}>
        <HiddenFields fields={{ [SHOWN_ROLE]: role.values[SHOWN_ROLE] }} />
        <Select
          {...role.control('role')}
          choices={roleChoices}
          help={`${ROLES_HELP} We don’t verify email addresses: check who this is before promoting them.`}
        />
        {identity !== null && (
          <SecondFactorFields {...{ visit, asked: identity }} problem={role.problems.fields.secondFactor} />
        )}
        <Submit label="Save the role" />
      </Form>
      {!(isIdpIdKept && idpId.problems === noProblems) && (
        <Form action={paths.idpId(id, user.id)} token={tokenFor('idpId')} problem={idpId.problems.general}>
          <HiddenFields fields={{ [SHOWN_IDP_ID]: idpId.values[SHOWN_IDP_ID] }} />
          <Field
            {...idpId.control('idpId')}
            isRequired={false}
            help="Your own ID of this person, such as the one in your single sign-on system. Your programs can find the person by it. Leave it empty for none."
            link={idpId.problems.links?.idpId}
          />
          <Submit label="Save the ID" kind="secondary" />
        </Form>
      )}
    </Card>
  );
}

type MembershipProps = PartProps<{ member: Member; isLastOwner: boolean }>;

function Membership({ visit, member: { user }, isLastOwner }: MembershipProps) {
  return (
    <Card id="membership" title="Membership">
      {isLastOwner ? (
        <p>{LAST_OWNER_TEXT}</p>
      ) : (
        <>
          <p>
            {isSelf(visit, user)
              ? 'Removing yourself ends your access at once. Your account and your seats in meetings stay.'
              : 'Removing this person ends their access at once. Their account and their seats in meetings stay.'}
          </p>
          <ButtonLink
            kind="destructive"
            href={paths.removeMember(visit.organization.id, user.id)}
            text="Remove from the organization"
          />
        </>
      )}
    </Card>
  );
}
