import { Secret } from '@rollcall/core';
import { Button } from '../design/components.js';
import { expiredForm, Form, type FormProblems, noProblems, problemsOf } from '../design/form.js';
import { formToken } from '../form.js';
import type { Page } from '../page.js';
import { paths } from '../paths.js';
import type { Visit } from '../visit.js';
import { AccountEmail, NewPassword } from './password-fields.js';

const labels = { newPassword: 'New password' };

/** The page of a link in a mail. GET does not use up the link: mail programs open links too. */
export const resetPassword: Page = {
  path: paths.resetPassword,
  get: (visit) => showForm(visit, noProblems),
  expired: (visit) => showForm(visit, expiredForm),
  async post(visit) {
    const token = tokenIn(visit);
    const newPassword = new Secret(visit.field('new_password'));
    try {
      await visit.core.resetPassword({ token, newPassword });
      visit.leadTo(paths.signIn, 'password-reset');
    } catch (error) {
      await showForm(visit, problemsOf(error, labels));
    }
  },
};

function tokenIn({ request }: Visit): string {
  return String(request.params.token);
}

async function showForm(visit: Visit, problems: FormProblems): Promise<void> {
  const { email } = await visit.core.readPasswordReset({ token: tokenIn(visit) });
  visit.show({
    title: 'Choose a new password',
    problems,
    body: (
      <section class="card narrow">
        <h1>Choose a new password</h1>
        <p>You will be signed out everywhere.</p>
        <Form token={formToken(visit)} problem={problems.general}>
          <AccountEmail email={email} />
          <NewPassword label={labels.newPassword} problem={problems.fields.newPassword} />
          <Button kind="primary">Change the password</Button>
        </Form>
      </section>
    ),
  });
}
