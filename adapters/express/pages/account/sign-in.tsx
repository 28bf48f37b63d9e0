import { Secret } from '@rollcall/core';
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
import { consumeNotice } from '../design/notice.js';
import { deviceOf } from '../device-name.js';
import { type FormToken, fieldOf, formToken } from '../form-guard.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { currentSession, pathAfterSignIn, startPath, startSession } from '../session.js';

/** Signing in with the password. */
export function signIn(deps: PageDeps): Page {
  return {
    path: '/sign-in',
    async get(request, response) {
      const next = pathAfterSignIn(request.query.next);
      const session = await currentSession(deps, request);
      if (session?.boundTo === null) return response.redirect(303, next ?? startPath(session));
      showSignIn(deps, request, response, { next, email: '', problems: noProblems });
    },
    async expired(request, response) {
      const next = pathAfterSignIn(fieldOf(request, 'next'));
      showSignIn(deps, request, response, { next, email: fieldOf(request, 'email'), problems: expiredForm });
    },
    async post(request, response) {
      const next = pathAfterSignIn(fieldOf(request, 'next'));
      const email = fieldOf(request, 'email');
      const password = new Secret(fieldOf(request, 'password'));
      try {
        const opened = await deps.core.signIn({
          ...{ email, password },
          address: clientAddress(request),
          device: deviceOf(request),
        });
        await startSession(deps, request, response, opened);
        response.redirect(303, next ?? startPath(opened));
      } catch (error) {
        showSignIn(deps, request, response, { next, email, problems: problemsOf(error, {}) });
      }
    },
  };
}

interface SignInForm {
  readonly next: string | null;
  readonly email: string;
  readonly problems: FormProblems;
}

function showSignIn(deps: PageDeps, request: Request, response: Response, form: SignInForm): void {
  const refused = form.problems !== noProblems;
  showPage(deps, response, {
    status: statusOf(form.problems),
    title: refused ? 'Error: Sign in' : 'Sign in',
    notice: consumeNotice(deps, request, response),
    body: <SignInView form={form} sendsMail={deps.sendsMail} token={formToken(deps, request, response)} />,
  });
}

function SignInView(view: {
  readonly form: SignInForm;
  readonly sendsMail: boolean;
  readonly token: FormToken;
}) {
  const { next, email, problems } = view.form;
  return (
    <section class="card narrow">
      <h1>Sign in</h1>
      <Form action="/sign-in" token={view.token} problem={problems.general}>
        {next !== null && <input type="hidden" name="next" value={next} />}
        <Field name="email" label="Email address" type="email" autocomplete="username" value={email} />
        <Field name="password" label="Password" type="password" autocomplete="current-password" />
        <Button kind="primary">Sign in</Button>
      </Form>
      {view.sendsMail ? (
        <p class="fine-print">
          <a href="/forgot-password">Forgot your password?</a>
        </p>
      ) : (
        <p class="fine-print">
          Forgot your password? Ask the people who run this service to set a new one, or ask your organization
          for a login link.
        </p>
      )}
      <p class="fine-print">
        Developers: <a href="/docs">API documentation</a>
      </p>
    </section>
  );
}
