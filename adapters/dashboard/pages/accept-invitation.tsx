import { type AcceptInvitation, type OpenedInvitation, Secret } from '@rollcall/core';
import type { Request, Response } from 'express';
import type { Dashboard } from '../dashboard.js';
import { Field, Form, type FormProblems, NOT_ACCEPTED, noProblems, problemsOf } from '../form.js';
import { type FormToken, fieldOf, formToken } from '../form-guard.js';
import { show } from '../layout.js';
import type { Page } from '../page.js';
import { addressOf, startPath, startSession } from '../session.js';

const labels = { first_name: 'First name', last_name: 'Last name', password: 'Password' };

/** What an `invitation_url` opens (decision 18). */
export function acceptInvitation(dashboard: Dashboard): Page {
  const { core } = dashboard;
  return {
    path: '/invitations/:token',
    async get(request, response) {
      const invitation = await core.openInvitation({ token: String(request.params.token) });
      showInvitation(dashboard, request, response, { invitation, problems: noProblems });
    },
    async post(request, response) {
      const token = String(request.params.token);
      try {
        const person = personIn(request);
        const opened = await core.acceptInvitation({ token, person, address: addressOf(request) });
        await startSession(dashboard, request, response, opened);
        response.redirect(303, startPath(opened));
      } catch (error) {
        const problems = problemsOf(error, labels);
        const invitation = withInput(await core.openInvitation({ token }), request);
        showInvitation(dashboard, request, response, { invitation, problems });
      }
    },
  };
}

/** The form of somebody who has an account has no names. */
function personIn(request: Request): AcceptInvitation['person'] {
  const password = new Secret(fieldOf(request, 'password'));
  if (!('first_name' in request.body)) return { is: 'known', password };
  const firstName = fieldOf(request, 'first_name');
  return { is: 'new', firstName, lastName: fieldOf(request, 'last_name'), password };
}

function withInput(invitation: OpenedInvitation, request: Request): OpenedInvitation {
  if (!('first_name' in request.body)) return invitation;
  return {
    ...invitation,
    firstName: fieldOf(request, 'first_name'),
    lastName: fieldOf(request, 'last_name'),
  };
}

interface InvitationForm {
  readonly invitation: OpenedInvitation;
  readonly problems: FormProblems;
}

function showInvitation(
  dashboard: Dashboard,
  request: Request,
  response: Response,
  form: InvitationForm,
): void {
  const refused = form.problems !== noProblems;
  const title = `Invitation to ${form.invitation.organization.name}`;
  const token = formToken(dashboard, request, response);
  show(dashboard, response, {
    status: refused ? NOT_ACCEPTED : 200,
    title: refused ? `Error: ${title}` : title,
    body: (
      <section class="card narrow">
        <h1>
          Join <bdi>{form.invitation.organization.name}</bdi>
        </h1>
        {form.invitation.hasAccount ? (
          <KnownPersonForm {...form} token={token} />
        ) : (
          <NewPersonForm {...form} token={token} />
        )}
      </section>
    ),
  });
}

type FormViewProps = InvitationForm & { readonly token: FormToken };

function NewPersonForm({ invitation, problems, token }: FormViewProps) {
  const { email, organization } = invitation;
  return (
    <>
      <p>
        <bdi>{organization.name}</bdi> invites you. Check your name and choose a password to accept.
      </p>
      <Form token={token} problem={problems.whole}>
        <Field
          name="email"
          label="E-mail address"
          type="email"
          autocomplete="username"
          value={email}
          readOnly
        />
        <Field
          name="first_name"
          label={labels.first_name}
          autocomplete="given-name"
          value={invitation.firstName}
          problem={problems.fields.first_name}
        />
        <Field
          name="last_name"
          label={labels.last_name}
          autocomplete="family-name"
          value={invitation.lastName}
          problem={problems.fields.last_name}
        />
        <Field
          name="password"
          label={labels.password}
          type="password"
          autocomplete="new-password"
          help="At least 8 characters."
          problem={problems.fields.password}
        />
        <button type="submit">Accept the invitation</button>
      </Form>
    </>
  );
}

function KnownPersonForm({ invitation, problems, token }: FormViewProps) {
  return (
    <>
      <p>
        <bdi>{invitation.organization.name}</bdi> invites you. There is an account with your address already:
        enter its password, so that nobody but you can accept.
      </p>
      <Form token={token} problem={problems.whole}>
        <Field
          name="email"
          label="E-mail address"
          type="email"
          autocomplete="username"
          value={invitation.email}
          readOnly
        />
        <Field
          name="password"
          label={labels.password}
          type="password"
          autocomplete="current-password"
          problem={problems.fields.password}
        />
        <button type="submit">Accept the invitation</button>
      </Form>
    </>
  );
}
