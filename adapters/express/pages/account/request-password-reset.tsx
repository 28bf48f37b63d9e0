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
import { PageError } from '../errors/error-page.js';
import { formToken } from '../form.js';
import type { Page } from '../page.js';
import { paths } from '../paths.js';
import type { Visit } from '../visit.js';
import { clientAddress } from '../visit-limits.js';

const labels = { email: 'Email address' };

/** Asking for a link to set a new password. Every address gets the same answer. */
export const requestPasswordReset: Page = {
  path: paths.forgotPassword,
  get: (visit) => showForm(visit, { email: '', problems: noProblems }),
  expired: (visit) => showForm(visit, { email: visit.field('email'), problems: expiredForm }),
  async post(visit) {
    if (!visit.sendsMail) throw new PageError('not-found');
    const email = visit.field('email');
    try {
      await visit.core.requestPasswordReset({ email, address: clientAddress(visit) });
      visit.leadTo(paths.passwordResetRequested);
    } catch (error) {
      showForm(visit, { email, problems: problemsOf(error, labels) });
    }
  },
};

interface RequestForm {
  readonly email: string;
  readonly problems: FormProblems;
}

function showForm(visit: Visit, form: RequestForm): void {
  if (!visit.sendsMail) throw new PageError('not-found');
  visit.show({
    title: 'Forgot your password?',
    problems: form.problems,
    body: <RequestView form={form} token={formToken(visit)} />,
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

/** What happens after asking for a link. It is the same for every address, and can be loaded again. */
export const passwordResetRequested: Page = {
  path: paths.passwordResetRequested,
  get(visit) {
    if (!visit.sendsMail) throw new PageError('not-found');
    visit.show({
      title: 'Check your email',
      body: (
        <section class="card narrow">
          <h1>Check your email</h1>
          <p>
            If there is an account with this address, we’ll send it a link to choose a new password. The link
            works once, within 30 minutes.
          </p>
          <p>
            No email after a few minutes? Check your spam folder and the address, or ask the people who run
            this service.
          </p>
          <p class="fine-print">
            <a href="/sign-in">Back to sign in</a>
          </p>
        </section>
      ),
    });
  },
};
