import type { InvitationView, InvitedRole, InvitedUser } from '@rollcall/core';
import type { ComponentChildren } from 'preact';
import { NameLink, nameOf } from '../design/avatar.js';
import { BackLink, Banner, Button, CopyText } from '../design/components.js';
import { Checkbox, Field, Form, HiddenFields, Select, Submit } from '../design/form.js';
import type { NoticeName } from '../design/notice.js';
import { ZonedTime } from '../design/times.js';
import { unlessRefused } from '../errors/unless-refused.js';
import { memberForm, openedForm, type ShownForm } from '../form-page.js';
import { SHOWN_IDP_ID } from '../members/change-role.js';
import { idpIdProblems } from '../members/idp-id-problems.js';
import { roleChoices, roleTitles } from '../members/roles.js';
import { paths, withQuery } from '../paths.js';
import { listPath } from '../place.js';
import type { MemberVisit, PartProps, Visit } from '../visit.js';
import { InvitationLink } from './read-invitation.js';

export const invitationLabels = {
  email: 'Email address',
  firstName: 'First name',
  lastName: 'Last name',
  idpId: 'Identity provider ID',
  role: 'Role',
  expiresInDays: 'Link expires',
};

/** What an invitation gives if nothing else is chosen: a membership, within a month (decision 303). */
export const initialOptions = { role: 'member', expires_in_days: '30' };

type Options = Readonly<Record<keyof typeof initialOptions, string>>;

/** The options as they were typed. Admins choose no role. The core refuses what is not allowed. */
export function optionsIn({ role, expires_in_days: days }: Options) {
  return {
    role: (role || initialOptions.role) as InvitedRole,
    expiresInDays: days === '' ? null : Number(days),
  };
}

const form = {
  fields: ['email', 'first_name', 'last_name', 'idp_id', 'send_mail', 'role', 'expires_in_days'],
  labels: invitationLabels,
  about: () => null,
  initial: (_about: null, { sendsMail }: MemberVisit) => ({
    ...{ email: '', first_name: '', last_name: '', idp_id: '', ...initialOptions },
    send_mail: sendsMail ? '1' : '',
  }),
} as const;

type Typed = Readonly<Record<(typeof form.fields)[number], string>>;

/** The form to invite someone. Once it was sent, it is ready for the next person, and has the link of the last one. */
export const inviteUser = memberForm({
  path: paths.invite(':id'),
  ...form,
  alsoShown: ['already-member'],
  problems: idpIdProblems,
  async send(visit, typed) {
    const { core, organization, by } = visit;
    const { email } = typed;
    const sendMail = sendMailIn(visit);
    const invited = await core.inviteUser({ organization, email, ...invitationIn(typed), sendMail, by });
    if (!invited.isNew) return showPending(visit, typed, invited);
    const path = withQuery(paths.invite(organization.id), { invited: invited.uuid });
    visit.leadTo(path, noticeFor(visit, invited.isMailed));
  },
  async show(visit, shown) {
    const last = await lastInvited(visit);
    showPage(visit, shown, last && <Invited {...{ visit, invitation: last }} />);
  },
});

/** The invitation that the form has just made, if it is still pending. */
async function lastInvited({ core, organization, request }: MemberVisit): Promise<InvitationView | null> {
  const { invited: uuid } = request.query;
  if (typeof uuid !== 'string') return null;
  const invitation = await unlessRefused(core.readInvitation({ organization, uuid }));
  return invitation?.state === 'pending' ? invitation : null;
}

/** The address had a pending invitation, which stays as it is. What was typed is offered for renewing it. */
async function showPending(visit: MemberVisit, typed: Typed, { uuid, isMailed }: InvitedUser): Promise<void> {
  const { core, organization } = visit;
  const invitation = await core.readInvitation({ organization, uuid });
  const shown = openedForm({ ...form, initial: () => typed }, null, visit);
  showPage(visit, shown, <InvitedBefore {...{ visit, invitation, typed, isMailed }} />);
}

function showPage(visit: MemberVisit, shown: ShownForm<keyof Typed>, last: ComponentChildren): void {
  const { organization, token } = visit;
  const { problems, control } = shown;
  visit.show(
    { title: `Invite someone to ${organization.name}`, problems, notice: visit.consumeNotice() },
    <BackLink href={listPath(visit, paths.invitations(organization.id))}>Invitations</BackLink>,
    <h1>Invite someone</h1>,
    last,
    <section class="card" aria-label="Invite someone">
      <Form action={paths.invite(organization.id)} token={token} problem={problems.general}>
        <Field {...control('email')} type="email" />
        <InvitationFields {...{ visit, form: shown }} mailLabel="Email them the link" />
        <div class="actions">
          <Button kind="primary">Invite</Button>
          <a href={paths.inviteMany(organization.id)}>Invite many people</a>
        </div>
      </Form>
    </section>,
  );
}

function Invited({ visit, invitation }: PartProps<{ invitation: InvitationView }>) {
  const { organization, zone } = visit;
  return (
    <section class="card" aria-labelledby="invited">
      <h2 id="invited">
        <NameLink to={paths.invitation(organization.id, invitation.userUuid)} of={invitation} /> is invited
      </h2>
      <InvitationLink {...{ visit, invitation }} />
      <p>
        {`${roleTitles[invitation.role]}. `}
        {invitation.expiresAt === null ? (
          'The link works until you revoke it.'
        ) : (
          <>
            The link works until <ZonedTime at={invitation.expiresAt} zone={zone} />.
          </>
        )}{' '}
        Anyone with it can accept the invitation, so share it with no one else.
      </p>
    </section>
  );
}

function InvitedBefore({
  visit,
  invitation,
  typed,
  isMailed,
}: PartProps<{ invitation: InvitationView; typed: Typed; isMailed: boolean | undefined }>) {
  const { organization, token, zone } = visit;
  const { userUuid, id, idpId } = invitation;
  const { email, ...given } = typed;
  const renewed = { ...given, idp_id: typed.idp_id || (idpId ?? '') };
  return (
    <section class="card" aria-labelledby="invited">
      <h2 id="invited">
        <bdi>{nameOf(invitation)}</bdi> was invited before
      </h2>
      <Banner tone="warning" role="status">
        This address has a pending invitation from <ZonedTime at={invitation.createdAt} zone={zone} />. It
        stays as it was, so what you typed was not used.
        {isMailed === true && ' We’re emailing them this link again.'}
        {isMailed === false && ' The link was not emailed: there have been too many such emails today.'}
      </Banner>
      <InvitationLink {...{ visit, invitation }} />
      <Form action={paths.renewInvitation(organization.id, userUuid)} token={token}>
        <HiddenFields fields={{ ...renewed, invitation: id, [SHOWN_IDP_ID]: idpId ?? '' }} />
        <p>
          Renew it to use what you typed: <bdi>{`${typed.first_name} ${typed.last_name}`}</bdi> gets a new
          link, and this one stops working.
        </p>
        <Submit label="Renew with what I typed" kind="secondary" />
      </Form>
    </section>
  );
}

function noticeFor({ sendsMail }: MemberVisit, isMailed: boolean | undefined): NoticeName {
  if (isMailed === undefined) return sendsMail ? 'invited-without-mail' : 'invited';
  return isMailed ? 'invited-by-mail' : 'invited-too-often';
}

/** Whether the box for a mail is checked, and the service sends mail. */
export function sendMailIn(visit: Visit): boolean {
  return visit.sendsMail && visit.field('send_mail') !== '';
}

interface LinksProps {
  readonly visit: Visit;
  readonly invited: readonly Pick<InvitedUser, 'email' | 'invitationUrl' | 'isMailed'>[];
  readonly label: string;
  readonly isMain: boolean;
  readonly children?: ComponentChildren;
}

/** The links of several people, and what to do with them. */
export function LinksCard({ visit, invited, label, isMain, children }: LinksProps) {
  const links = invited.map(({ email, invitationUrl }) => `${email}\t${invitationUrl}`);
  return (
    <section class="card">
      <p>{adviceOn({ visit, invited })}</p>
      {children}
      <CopyText id="urls" label={label} text={links.join('\n')} isLong isMain={isMain} />
    </section>
  );
}

function adviceOn({ visit: { sendsMail }, invited }: Pick<LinksProps, 'visit' | 'invited'>): string {
  const mailed = invited.filter(({ isMailed }) => isMailed).length;
  const others = mailed < invited.length ? 'everyone else' : 'each person';
  if (mailed > 0) return `We’re emailing ${others} their own link. Share a link with no one else.`;
  const sentence = 'Send each person their own link yourself, and share it with no one else.';
  return sendsMail ? sentence : `We don’t send emails. ${sentence}`;
}

/** What can also be corrected later, and the options. */
export function invitationIn({
  first_name: firstName,
  last_name: lastName,
  idp_id: idpId,
  ...options
}: Options & Readonly<Record<'first_name' | 'last_name' | 'idp_id', string>>) {
  return { firstName, lastName, idpId: idpId || null, ...optionsIn(options) };
}

/** The fields that can also be corrected later, and what else the invitation gives. */
export function InvitationFields({
  visit,
  form,
  mailLabel,
}: PartProps<{ form: ShownForm<'idp_id' | 'send_mail' | keyof Options>; mailLabel: string }>) {
  const { values, problems, control } = form;
  return (
    <>
      <NameFields control={control} />
      <InviteOptions {...{ visit, form }} />
      <details class="more" open={values.idp_id !== '' || problems.fields.idpId !== undefined}>
        <summary>More options</summary>
        <Field
          {...control('idpId')}
          isRequired={false}
          help="Optional. The ID under which your own systems know the person. Your programs find the person’s meetings by it."
          link={problems.links?.idpId}
        />
      </details>
      {visit.sendsMail && <Checkbox name="send_mail" label={mailLabel} checked={values.send_mail !== ''} />}
    </>
  );
}

/** `isOwn`: whether the reader types their own name. */
export function NameFields({ control, isOwn = false }: Pick<ShownForm, 'control'> & { isOwn?: boolean }) {
  return (
    <div class="columns">
      <Field {...control('firstName')} autocomplete={isOwn ? 'given-name' : 'off'} />
      <Field {...control('lastName')} autocomplete={isOwn ? 'family-name' : 'off'} />
    </div>
  );
}

/** What the invitation gives: only owners choose the role. */
export function InviteOptions({
  visit,
  form: { values, control },
}: PartProps<{ form: Pick<ShownForm<keyof Options>, 'values' | 'control'> }>) {
  const { expires_in_days: days } = values;
  const role = control('role');
  const known = expiryChoices.some(({ value }) => value === days);
  return (
    <div class="columns">
      {(visit.role === 'owner' || role.problem !== undefined) && (
        <Select
          {...role}
          choices={roleChoices.filter(({ value }) => value !== 'owner')}
          help="Check who they are before you choose Admin. If you are no longer an owner when they accept, they join as a member."
        />
      )}
      <Select
        {...control('expiresInDays')}
        help="30 days is enough for most people. You can renew an expired link."
        choices={known ? expiryChoices : [...expiryChoices, { value: days, text: daysText(days) }]}
      />
    </div>
  );
}

const expiryChoices = [
  ...['7', '30', '90'].map((days) => ({ value: days, text: daysText(days) })),
  { value: '', text: 'Never' },
];

function daysText(days: string): string {
  return days === '1' ? 'In 1 day' : `In ${days} days`;
}
