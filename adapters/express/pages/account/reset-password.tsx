import { Secret } from '@rollcall/core';
import type { Request, Response } from 'express';
import { Button } from '../design/button.js';
import { expiredForm, Form, type FormProblems, noProblems, problemsOf, statusOf } from '../design/form.js';
import { showPage } from '../design/layout.js';
import { setNotice } from '../design/notice.js';
import { fieldOf, formToken } from '../form-guard.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { AccountEmail, NewPassword } from './password-fields.js';

const labels = { newPassword: 'New password' };

/** The page of a link in a mail. GET does not use up the link: mail programs open links too. */
export function resetPassword(deps: PageDeps): Page {
  const { core } = deps;
  return {
    path: '/reset-password/:token',
    async get(request, response) {
      const { email } = await core.readPasswordReset({ token: String(request.params.token) });
      showForm(deps, request, response, { email, problems: noProblems });
    },
    async expired(request, response) {
      const { email } = await core.readPasswordReset({ token: String(request.params.token) });
      showForm(deps, request, response, { email, problems: expiredForm });
    },
    async post(request, response) {
      const token = String(request.params.token);
      const { email } = await core.readPasswordReset({ token });
      try {
        await core.resetPassword({ token, newPassword: new Secret(fieldOf(request, 'new_password')) });
      } catch (error) {
        return showForm(deps, request, response, { email, problems: problemsOf(error, labels) });
      }
      setNotice(deps, response, 'password-reset');
      response.redirect(303, '/sign-in');
    },
  };
}

function showForm(
  deps: PageDeps,
  request: Request,
  response: Response,
  { email, problems }: { readonly email: string; readonly problems: FormProblems },
): void {
  const refused = problems !== noProblems;
  showPage(deps, response, {
    status: statusOf(problems),
    title: refused ? 'Error: Choose a new password' : 'Choose a new password',
    body: (
      <section class="card narrow">
        <h1>Choose a new password</h1>
        <p>You will be signed out everywhere.</p>
        <Form token={formToken(deps, request, response)} problem={problems.general}>
          <AccountEmail email={email} />
          <NewPassword label={labels.newPassword} problem={problems.fields.newPassword} />
          <Button kind="primary">Change the password</Button>
        </Form>
      </section>
    ),
  });
}
