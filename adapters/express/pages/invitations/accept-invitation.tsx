import { type AcceptInvitation, type PendingInvitation, Secret, type Session } from '@rollcall/core';
import { passwordHelp } from '../account/password-fields.js';
import { SignsOut } from '../account/redeem-login-link.js';
import { clientOf, startSession } from '../account/start-session.js';
import { nameOf } from '../design/avatar.js';
import { Button } from '../design/components.js';
import {
  expiredForm,
  Field,
  Form,
  type FormProblems,
  type FormToken,
  noProblems,
  problemsOf,
} from '../design/form.js';
import { Operator } from '../design/operator.js';
import { Timestamp, type TimeZone, timeZoneOf, zoneName } from '../design/times.js';
import { formToken } from '../form.js';
import type { Page } from '../page.js';
import { paths } from '../paths.js';
import type { Visit } from '../visit.js';

const labels = { firstName: 'First name', lastName: 'Last name', password: 'Password' };

const nameFields = [
  { field: 'firstName', name: 'first_name', autocomplete: 'given-name' },
  { field: 'lastName', name: 'last_name', autocomplete: 'family-name' },
] as const;

/** The page of an `invitation_url` (decision 18). */
export const acceptInvitation: Page = {
  path: paths.acceptInvitation,
  get: (visit) => showInvitation(visit, noProblems),
  expired: (visit) => showInvitation(visit, expiredForm),
  async post(visit) {
    const { core } = visit;
    try {
      const opened = await core.acceptInvitation({
        token: tokenIn(visit),
        person: personIn(visit),
        ...clientOf(visit),
      });
      await startSession(visit, opened);
      visit.leadTo(paths.meetings(opened.organizationId), 'joined');
    } catch (error) {
      await showInvitation(visit, problemsOf(error, labels));
    }
  },
};

function tokenIn({ request }: Visit): string {
  return String(request.params.token);
}

/** The form of people who have an account has no name fields. */
function personIn(visit: Visit): AcceptInvitation['person'] {
  const password = new Secret(visit.field('password'));
  return hasNames(visit) ? { is: 'new', ...namesIn(visit), password } : { is: 'known', password };
}

function hasNames({ request: { body } }: Visit): boolean {
  return body !== undefined && 'first_name' in body;
}

function namesIn(visit: Visit) {
  return { firstName: visit.field('first_name'), lastName: visit.field('last_name') };
}

interface InvitationForm {
  readonly invitation: PendingInvitation;
  readonly problems: FormProblems;
}

/** Shows the invitation, with the names that were typed if the form is shown again. */
async function showInvitation(visit: Visit, problems: FormProblems): Promise<void> {
  const found = await visit.core.readPendingInvitation({ token: tokenIn(visit) });
  const invitation = hasNames(visit) ? { ...found, ...namesIn(visit) } : found;
  const session = await visit.findSession();
  const form = { invitation, problems };
  const token = formToken(visit);
  visit.show({
    title: `Invitation to ${invitation.organization.name}`,
    problems,
    body: (
      <section class="card narrow">
        <h1>
          Join <bdi>{invitation.organization.name}</bdi>
        </h1>
        {needsPassword(invitation) ? (
          <NoPassword visit={visit} {...form} />
        ) : (
          <>
            <InvitationText invitation={invitation} zone={timeZoneOf(visit.request)} />
            {/* Two people may share a browser, and an admin may try a link that they sent. */}
            {isSomeoneElse(session, invitation) && (
              <SignsOut user={session.user}>Accepting signs you out here.</SignsOut>
            )}
            <AcceptForm {...form} token={token} />
          </>
        )}
      </section>
    ),
  });
}

/** An operator or an import created the account: it has no password that could be entered. */
function needsPassword({ hasAccount, canSignIn }: PendingInvitation): boolean {
  return hasAccount && !canSignIn;
}

interface NoPasswordProps extends Pick<InvitationForm, 'invitation'> {
  readonly visit: Visit;
}

/** Only the operator may set the first password, because the inviting organization also has this page's link (decision 18). */
function NoPassword({ invitation: { organization, email }, visit }: NoPasswordProps) {
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

function isSomeoneElse(session: Session | null, { email }: PendingInvitation): session is Session {
  return session !== null && session.user.email !== email;
}

function InvitationText({
  invitation,
  zone,
}: Pick<InvitationForm, 'invitation'> & { readonly zone: TimeZone }) {
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
            This invitation expires on <Timestamp at={expiresAt} zone={zone} /> ({zoneName(zone)}).
          </>
        )}
      </p>
    </>
  );
}

/** People who have an account only enter its password. */
function AcceptForm({ invitation, problems, token }: InvitationForm & { readonly token: FormToken }) {
  const { email, hasAccount } = invitation;
  return (
    <Form token={token} problem={problems.general}>
      <Field name="email" label="Email address" type="email" autocomplete="username" value={email} readOnly />
      {!hasAccount &&
        nameFields.map(({ field, name, autocomplete }) => (
          <Field
            key={name}
            name={name}
            label={labels[field]}
            autocomplete={autocomplete}
            value={invitation[field]}
            problem={problems.fields[field]}
          />
        ))}
      <Field
        name="password"
        label={labels.password}
        type="password"
        autocomplete={hasAccount ? 'current-password' : 'new-password'}
        {...(!hasAccount && { help: passwordHelp })}
        problem={problems.fields.password}
      />
      <Button kind="primary">Accept invitation</Button>
    </Form>
  );
}
