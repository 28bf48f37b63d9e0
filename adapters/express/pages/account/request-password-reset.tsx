import type { Request, Response } from 'express';
import { clientAddress } from '../client-address.js';
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
import { type FormToken, fieldOf, formToken } from '../form-guard.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { PageError } from '../page-error.js';

const SENT_PATH = '/forgot-password/sent';

const labels = { email: 'Email address' };

/** Asking for a link to set a new password. Every address gets the same answer. */
export function requestPasswordReset(deps: PageDeps): Page {
  return {
    path: '/forgot-password',
    async get(request, response) {
      if (!deps.sendsMail) throw new PageError('not-found');
      showForm(deps, request, response, { email: '', problems: noProblems });
    },
    async expired(request, response) {
      if (!deps.sendsMail) throw new PageError('not-found');
      showForm(deps, request, response, { email: fieldOf(request, 'email'), problems: expiredForm });
    },
    async post(request, response) {
      if (!deps.sendsMail) throw new PageError('not-found');
      const email = fieldOf(request, 'email');
      try {
        await deps.core.requestPasswordReset({ email, address: clientAddress(request) });
      } catch (error) {
        return showForm(deps, request, response, { email, problems: problemsOf(error, labels) });
      }
      response.redirect(303, SENT_PATH);
    },
  };
}

/** What happens after asking for a link. It is the same for every address, and can be loaded again. */
export function passwordResetRequested(deps: PageDeps): Page {
  return {
    path: SENT_PATH,
    async get(_request, response) {
      if (!deps.sendsMail) throw new PageError('not-found');
      showSent(deps, response);
    },
  };
}

interface RequestForm {
  readonly email: string;
  readonly problems: FormProblems;
}

function showForm(deps: PageDeps, request: Request, response: Response, form: RequestForm): void {
  const refused = form.problems !== noProblems;
  showPage(deps, response, {
    status: statusOf(form.problems),
    title: refused ? 'Error: Forgot your password?' : 'Forgot your password?',
    body: <RequestView form={form} token={formToken(deps, request, response)} />,
  });
}

function RequestView({
  form: { email, problems },
  token,
}: {
  readonly form: RequestForm;
  readonly token: FormToken;
}) {
  return (
    <section class="card narrow">
      <h1>Forgot your password?</h1>
      <p>Enter the email address of your account. We’ll send you a link to choose a new password.</p>
      <Form action="/forgot-password" token={token} problem={problems.general}>
        <Field
          name="email"
          label={labels.email}
          type="email"
          autocomplete="username"
          value={email}
          problem={problems.fields.email}
        />
        <Button kind="primary">Send the link</Button>
      </Form>
      <p class="fine-print">
        <a href="/sign-in">Back to sign in</a>
      </p>
    </section>
  );
}

function showSent(deps: PageDeps, response: Response): void {
  showPage(deps, response, {
    title: 'Check your email',
    body: (
      <section class="card narrow">
        <h1>Check your email</h1>
        <p>
          If there is an account with this address, we’ll send it a link to choose a new password. The link
          works once, within 30 minutes.
        </p>
        <p>
          No email after a few minutes? Check your spam folder and the address, or ask the people who run this
          service.
        </p>
        <p class="fine-print">
          <a href="/sign-in">Back to sign in</a>
        </p>
      </section>
    ),
  });
}
