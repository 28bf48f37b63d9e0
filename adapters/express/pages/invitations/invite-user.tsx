import type { InvitedUser } from '@rollcall/core';
import type { ComponentChildren } from 'preact';
import { Checkbox, Field, Form, type FormProblems, type FormToken, noProblems } from '../design/form.js';
import type { NoticeName } from '../design/notice.js';
import { idpIdProblems } from '../members/idp-id-problems.js';
import { paths } from '../paths.js';
import type { MemberVisit, Visit } from '../visit.js';

/** Invites the person in the form and leads to the invitation's page. A refused form is shown again. */
export async function inviteUser(
  visit: MemberVisit,
  showAgain: (visit: MemberVisit, form: InviteForm) => Promise<void>,
): Promise<void> {
  const { core, organization, sendsMail, token, by } = visit;
  const person = inviteeIn(visit);
  const sendMail = sendMailIn(visit);
  try {
    const idpId = person.idpId || null;
    const { uuid, isMailed } = await core.inviteUser({ organization, ...person, idpId, sendMail, by });
    visit.leadTo(paths.invitation(organization.id, uuid), noticeFor(visit, isMailed));
  } catch (error) {
    const refused = { idpId: person.idpId, labels: personLabels, alsoShown: ['already-member'] } as const;
    const problems = await idpIdProblems(visit, error, refused);
    await showAgain(visit, { person, problems, sendMail: sendsMail ? sendMail : null, token });
  }
}

function noticeFor({ sendsMail }: MemberVisit, isMailed: boolean | undefined): NoticeName {
  if (isMailed === undefined) return sendsMail ? 'invited-without-mail' : 'invited';
  return isMailed ? 'invited-by-mail' : 'invited-too-often';
}

/** The labels of a person's fields. */
export const personLabels = {
  email: 'Email address',
  firstName: 'First name',
  lastName: 'Last name',
  idpId: 'Identity provider ID',
};

export interface Invitee {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  /** Empty: none. */
  readonly idpId: string;
}

/** The form as shown: its input and its problems. */
export interface InviteForm {
  readonly person: Invitee;
  readonly problems: FormProblems;
  /** Whether the box for a mail is checked; null: there is none, because the service sends no mail. */
  readonly sendMail: boolean | null;
  readonly token: FormToken;
}

/** Everything that can be typed, which is given back if the form has expired. */
export const inviteFields = ['email', 'first_name', 'last_name', 'idp_id', 'send_mail'] as const;

/** The form when the page is opened. */
export function openInvite({ kept, token, sendsMail }: MemberVisit): InviteForm {
  const [email = '', firstName = '', lastName = '', idpId = '', box = ''] = inviteFields.map(
    (name) => kept?.[name],
  );
  const sendMail = sendsMail ? box !== '' : null;
  return { person: { email, firstName, lastName, idpId }, problems: noProblems, sendMail, token };
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

/** The person in the form. */
function inviteeIn(visit: Visit): Invitee {
  return { email: visit.field('email'), ...correctionIn(visit) };
}

/** The parts of the person that can also be corrected later. */
export function correctionIn(visit: Visit): Omit<Invitee, 'email'> {
  return {
    firstName: visit.field('first_name'),
    lastName: visit.field('last_name'),
    idpId: visit.field('idp_id').trim(),
  };
}

interface InviteFieldsProps {
  readonly action: string;
  readonly form: InviteForm;
  /** The buttons and links below the fields. */
  readonly children: ComponentChildren;
}

/** The form for the person to invite. */
export function InviteFields({
  action,
  form: { person, problems, sendMail, token },
  children,
}: InviteFieldsProps) {
  return (
    <Form action={action} token={token} problem={problems.general}>
      <Field
        name="email"
        label={personLabels.email}
        type="email"
        autocomplete="off"
        value={person.email}
        problem={problems.fields.email}
      />
      <CorrectionFields person={person} problems={problems} />
      {sendMail !== null && <Checkbox name="send_mail" label="Email them the link" checked={sendMail} />}
      <div class="actions">{children}</div>
    </Form>
  );
}

interface CorrectionFieldsProps {
  readonly person: Omit<Invitee, 'email'>;
  readonly problems: FormProblems;
}

/** The fields that can also be corrected later. */
export function CorrectionFields({ person, problems }: CorrectionFieldsProps) {
  return (
    <>
      <NameFields {...{ person, problems }} />
      <Field
        name="idp_id"
        label={personLabels.idpId}
        autocomplete="off"
        isRequired={false}
        value={person.idpId}
        help="Optional. The ID under which your own systems know the person. Your programs find the person’s meetings by it."
        problem={problems.fields.idpId}
        link={problems.links?.idpId}
      />
    </>
  );
}

interface NameFieldsProps {
  readonly person: Pick<Invitee, 'firstName' | 'lastName'>;
  readonly problems: FormProblems;
  /** Whether the reader types their own name. */
  readonly isOwn?: boolean;
}

const nameFields = [
  ['first_name', 'firstName', 'given-name'],
  ['last_name', 'lastName', 'family-name'],
] as const;

export function NameFields({ person, problems, isOwn = false }: NameFieldsProps) {
  return (
    <div class="columns">
      {nameFields.map(([name, key, autocomplete]) => (
        <Field
          key={name}
          name={name}
          label={personLabels[key]}
          autocomplete={isOwn ? autocomplete : 'off'}
          value={person[key]}
          problem={problems.fields[key]}
        />
      ))}
    </div>
  );
}
