import type { InvitedUser } from '@rollcall/core';
import type { ComponentChildren } from 'preact';
import { nameOf } from '../design/avatar.js';
import { Checkbox, Field, Form } from '../design/form.js';
import type { NoticeName } from '../design/notice.js';
import type { ShownForm } from '../form-page.js';
import { idpIdProblems } from '../members/idp-id-problems.js';
import { paths } from '../paths.js';
import type { MemberVisit, Visit } from '../visit.js';

/** The labels of a person's fields. */
export const personLabels = {
  email: 'Email address',
  firstName: 'First name',
  lastName: 'Last name',
  idpId: 'Identity provider ID',
};

/** The form to invite someone, which is on two pages. */
export const inviteForm = {
  fields: ['email', 'first_name', 'last_name', 'idp_id', 'send_mail'],
  labels: personLabels,
  alsoShown: ['already-member'],
  problems: idpIdProblems,
  about: () => null,
  initial: () => ({ email: '', first_name: '', last_name: '', idp_id: '', send_mail: '' }),
  async send(visit: MemberVisit, { email, ...person }: Readonly<Record<InviteField, string>>) {
    const { core, organization, by } = visit;
    const sendMail = sendMailIn(visit);
    const typed = correctionOf(person);
    const invited = await core.inviteUser({ organization, email, ...typed, sendMail, by });
    const isOther = invited.firstName !== typed.firstName || invited.lastName !== typed.lastName;
    const before = invited.isMailed === true ? 'mailed-before' : 'invited-before';
    const notice = isOther ? before : noticeFor(visit, invited.isMailed);
    visit.leadTo(paths.invitation(organization.id, invited.uuid), notice, nameOf(invited));
  },
} as const;

type InviteField = 'email' | CorrectionField | 'send_mail';
type CorrectionField = 'first_name' | 'last_name' | 'idp_id';

export type InviteForm = ShownForm<InviteField>;

function noticeFor({ sendsMail }: MemberVisit, isMailed: boolean | undefined): NoticeName {
  if (isMailed === undefined) return sendsMail ? 'invited-without-mail' : 'invited';
  return isMailed ? 'invited-by-mail' : 'invited-too-often';
}

/** Whether the box for a mail is checked, and the service sends mail. */
export function sendMailIn(visit: Visit): boolean {
  return visit.sendsMail && visit.field('send_mail') !== '';
}

/** What to do with the links of several people. */
export function linksAdvice({
  sendsMail,
  invited,
}: {
  readonly sendsMail: boolean;
  readonly invited: readonly Pick<InvitedUser, 'isMailed'>[];
}): string {
  const mailed = invited.filter(({ isMailed }) => isMailed).length;
  const others = mailed < invited.length ? 'everyone else' : 'each person';
  if (mailed > 0) return `We’re emailing ${others} their own link. Share a link with no one else.`;
  const sentence = 'Send each person their own link yourself, and share it with no one else.';
  return sendsMail ? sentence : `We don’t send emails. ${sentence}`;
}

/** What can also be corrected later. */
export function correctionOf({
  first_name: firstName,
  last_name: lastName,
  idp_id: idpId,
}: Readonly<Record<CorrectionField, string>>) {
  return { firstName, lastName, idpId: idpId || null };
}

interface InviteFieldsProps {
  readonly visit: MemberVisit;
  readonly action: string;
  readonly form: InviteForm;
  /** The buttons and links below the fields. */
  readonly children: ComponentChildren;
}

/** The form for the person to invite. */
export function InviteFields({ visit, action, form, children }: InviteFieldsProps) {
  const { values, problems, control } = form;
  return (
    <Form action={action} token={visit.token} problem={problems.general}>
      <Field {...control('email')} type="email" autocomplete="off" />
      <CorrectionFields form={form} />
      {visit.sendsMail && (
        <Checkbox name="send_mail" label="Email them the link" checked={values.send_mail !== ''} />
      )}
      <div class="actions">{children}</div>
    </Form>
  );
}

/** The fields that can also be corrected later. */
export function CorrectionFields({
  form: { problems, control },
}: {
  readonly form: Pick<ShownForm, 'problems' | 'control'>;
}) {
  return (
    <>
      <NameFields control={control} />
      <Field
        {...control('idpId')}
        autocomplete="off"
        isRequired={false}
        help="Optional. The ID under which your own systems know the person. Your programs find the person’s meetings by it."
        link={problems.links?.idpId}
      />
    </>
  );
}

interface NameFieldsProps extends Pick<ShownForm, 'control'> {
  /** Whether the reader types their own name. */
  readonly isOwn?: boolean;
}

export function NameFields({ control, isOwn = false }: NameFieldsProps) {
  return (
    <div class="columns">
      <Field {...control('firstName')} autocomplete={isOwn ? 'given-name' : 'off'} />
      <Field {...control('lastName')} autocomplete={isOwn ? 'family-name' : 'off'} />
    </div>
  );
}
