import { type PendingInvitation, SecondStepRequired, Secret } from '@rollcall/core';
import { AccountEmail, passwordHelp } from '../account/password-fields.js';
import { SignsOut } from '../account/redeem-login-link.js';
import { clientOf, startSession } from '../account/start-session.js';
import { named } from '../ask.js';
import { nameOf } from '../design/avatar.js';
import { Button } from '../design/components.js';
import { Field, Form, type FormToken } from '../design/form.js';
import { Operator } from '../design/operator.js';
import { type TimeZone, timeZoneOf, ZonedTime } from '../design/times.js';
import { formToken } from '../form.js';
import { publicForm, type ShownForm } from '../form-page.js';
import { paths } from '../paths.js';
import { beginSecondStep } from '../second-factor/second-step.js';
import type { Visit } from '../visit.js';
import { NameFields } from './invite-user.js';

/** The page of an `invitation_url` (decision 18). */
export const acceptInvitation = publicForm({
  path: paths.acceptInvitation,
  fields: ['first_name', 'last_name'],
  labels: { firstName: 'First name', lastName: 'Last name', password: 'Password' },
  about: (visit) => visit.core.readPendingInvitation({ token: tokenIn(visit) }),
  initial: ({ firstName, lastName }) => ({ first_name: firstName, last_name: lastName }),
  async send(visit, { first_name: firstName, last_name: lastName }) {
    const password = new Secret(visit.field('password'));
    // The form of people who have an account has no name fields.
    const isNew = 'first_name' in visit.request.body;
    try {
      const opened = await visit.core.acceptInvitation({
        token: tokenIn(visit),
        person: isNew ? { is: 'new', firstName, lastName, password } : { is: 'known', password },
        ...clientOf(visit),
      });
      await startSession(visit, opened);
      visit.leadTo(paths.meetings(opened.organizationId), 'joined');
    } catch (error) {
      if (!(error instanceof SecondStepRequired)) throw error;
      await beginSecondStep(visit, error, { next: null, notice: 'joined' });
    }
  },
  async show(visit, form) {
    const { about: invitation, problems } = form;
    const session = await visit.findSession();
    const token = formToken(visit);
    // An operator or an import created the account: it has no password that could be entered.
    const needsPassword = invitation.hasAccount && !invitation.canSignIn;
    visit.showCard(
      {
        ...named`Join ${invitation.organization.name}`,
        title: `Invitation to ${invitation.organization.name}`,
        problems,
      },
      needsPassword ? (
        <NoPassword {...{ visit, invitation }} />
      ) : (
        <>
          <InvitationText invitation={invitation} zone={timeZoneOf(visit.request)} />
          {/* Two people may share a browser, and an admin may try a link that they sent. */}
          {session !== null && session.user.email !== invitation.email && (
            <SignsOut user={session.user}>Accepting signs you out here.</SignsOut>
          )}
          <AcceptForm {...{ form, token }} />
        </>
      ),
    );
  },
});

function tokenIn({ request }: Visit): string {
  return String(request.params.token);
}

/** Only the operator may set the first password, because the inviting organization also has this page's link (decision 18). */
function NoPassword({
  invitation: { organization, email },
  visit,
}: Readonly<{ invitation: PendingInvitation; visit: Visit }>) {
  return (
    <>
      <p>
        <bdi>{organization.name}</bdi> invites you. There is an account for <bdi>{email}</bdi>, but it has no
        password yet.
      </p>
      <p>
        Ask <Operator visit={visit}>the people who run {visit.serviceName}</Operator> to set a password for
        you. Then open this page again and accept with that password. The invitation stays valid until then.
      </p>
      <p class="fine-print">
        <bdi>{organization.name}</bdi> can’t set it for you.
      </p>
    </>
  );
}

function InvitationText({ invitation, zone }: Readonly<{ invitation: PendingInvitation; zone: TimeZone }>) {
  const { inviter, organization, role, hasAccount, expiresAt } = invitation;
  return (
    <>
      <p>
        <bdi>{inviter === null ? organization.name : nameOf(inviter)}</bdi> invites you{' '}
        {role === 'member' ? 'to join as a member' : `to join as an ${role}`}.{' '}
        {role === 'member'
          ? 'You’ll see your meetings here, and can add them to your calendar.'
          : 'You’ll manage its people, webhook and exports, and see your own meetings.'}
      </p>
      <p>
        {hasAccount
          ? 'You already have an account. Enter its password to accept.'
          : 'Check your name and choose a password to accept.'}
        {expiresAt !== null && (
          <>
            {' '}
            This invitation expires on <ZonedTime at={expiresAt} zone={zone} />.
          </>
        )}
      </p>
    </>
  );
}

/** People who have an account only enter its password. */
function AcceptForm({
  form: { about, problems, control },
  token,
}: Readonly<{ form: ShownForm<string, PendingInvitation>; token: FormToken }>) {
  const { email, hasAccount } = about;
  return (
    <Form token={token} problem={problems.general}>
      <AccountEmail email={email} />
      {!hasAccount && <NameFields control={control} isOwn />}
      <Field
        {...control('password')}
        type="password"
        autocomplete={hasAccount ? 'current-password' : 'new-password'}
        {...(!hasAccount && { help: passwordHelp })}
      />
      <Button kind="primary">Accept invitation</Button>
    </Form>
  );
}
