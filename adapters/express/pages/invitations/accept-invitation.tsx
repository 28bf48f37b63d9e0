import { type AcceptInvitation, type PendingInvitation, Secret, type Session } from '@rollcall/core';
import type { Request, Response } from 'express';
import { passwordHelp } from '../account/password-fields.js';
import { clientAddress } from '../client-address.js';
import { Banner } from '../design/banner.js';
import { Button } from '../design/button.js';
import {
  expiredForm,
  Field,
  Form,
  type FormProblems,
  noProblems,
  problemsOf,
  statusOf,
} from '../design/form.js';
import { showPage } from '../design/layout.js';
import { setNotice } from '../design/notice.js';
import { deviceOf } from '../device-name.js';
import { type FormToken, fieldOf, formToken } from '../form-guard.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { currentSession, myMeetingsPath, startSession } from '../session.js';

const labels = { firstName: 'First name', lastName: 'Last name', password: 'Password' };

const nameFields = [
  { field: 'firstName', name: 'first_name', autocomplete: 'given-name' },
  { field: 'lastName', name: 'last_name', autocomplete: 'family-name' },
] as const;

/** The page of an `invitation_url` (decision 18). */
export function acceptInvitation(deps: PageDeps): Page {
  const { core } = deps;
  return {
    path: '/invitations/:token',
    async get(request, response) {
      const invitation = await core.readPendingInvitation({ token: String(request.params.token) });
      await showInvitation(deps, request, response, { invitation, problems: noProblems });
    },
    async expired(request, response) {
      const token = String(request.params.token);
      const invitation = withInput(await core.readPendingInvitation({ token }), request);
      await showInvitation(deps, request, response, { invitation, problems: expiredForm });
    },
    async post(request, response) {
      const token = String(request.params.token);
      try {
        const person = personIn(request);
        const opened = await core.acceptInvitation({
          ...{ token, person },
          address: clientAddress(request),
          device: deviceOf(request),
        });
        await startSession(deps, request, response, opened);
        setNotice(deps, response, 'joined');
        response.redirect(303, myMeetingsPath(opened.organizationId));
      } catch (error) {
        const problems = problemsOf(error, labels);
        const invitation = withInput(await core.readPendingInvitation({ token }), request);
        await showInvitation(deps, request, response, { invitation, problems });
      }
    },
  };
}

/** The form of people who have an account has no name fields. */
function personIn(request: Request): AcceptInvitation['person'] {
  const password = new Secret(fieldOf(request, 'password'));
  if (!('first_name' in request.body)) return { is: 'known', password };
  const firstName = fieldOf(request, 'first_name');
  return { is: 'new', firstName, lastName: fieldOf(request, 'last_name'), password };
}

function withInput(invitation: PendingInvitation, request: Request): PendingInvitation {
  if (!('first_name' in request.body)) return invitation;
  return {
    ...invitation,
    firstName: fieldOf(request, 'first_name'),
    lastName: fieldOf(request, 'last_name'),
  };
}

interface InvitationForm {
  readonly invitation: PendingInvitation;
  readonly problems: FormProblems;
}

async function showInvitation(
  deps: PageDeps,
  request: Request,
  response: Response,
  form: InvitationForm,
): Promise<void> {
  const session = await currentSession(deps, request);
  const refused = form.problems !== noProblems;
  const title = `Invitation to ${form.invitation.organization.name}`;
  const token = formToken(deps, request, response);
  showPage(deps, response, {
    status: statusOf(form.problems),
    title: refused ? `Error: ${title}` : title,
    body: (
      <section class="card narrow">
        <h1>
          Join <bdi>{form.invitation.organization.name}</bdi>
        </h1>
        {needsPassword(form.invitation) ? (
          <NoPassword serviceName={deps.serviceName} {...form} />
        ) : (
          <>
            <InvitationText invitation={form.invitation} />
            {isSomeoneElse(session, form.invitation) && <SignsOut user={session.user} />}
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
  readonly serviceName: string;
}

/** Only the operator may set the first password, because the inviting organization also has this page's link (decision 18). */
function NoPassword({ invitation: { organization, email }, serviceName }: NoPasswordProps) {
  return (
    <>
      <p>
        <bdi>{organization.name}</bdi> invites you. There is an account for <bdi>{email}</bdi>, but it has no
        password yet.
      </p>
      <p>
        Ask the people who run {serviceName} to set a password for you. Then open this page again and accept
        with that password. The invitation stays valid until then.
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

function InvitationText({ invitation: { organization, hasAccount } }: Pick<InvitationForm, 'invitation'>) {
  return (
    <p>
      <bdi>{organization.name}</bdi> invites you.{' '}
      {hasAccount
        ? 'You already have an account. Enter its password to accept.'
        : 'Check your name and choose a password to accept.'}
    </p>
  );
}

/** Two people may share a browser, and an admin may try a link that they sent. */
function SignsOut({ user: { firstName, lastName } }: Pick<Session, 'user'>) {
  return (
    <Banner tone="warning">
      You are signed in as <bdi>{`${firstName} ${lastName}`}</bdi>. Accepting signs you out here.
    </Banner>
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
