import { Button } from '../design/components.js';
import { Field, Form } from '../design/form.js';
import { Operator } from '../design/operator.js';
import { PageError } from '../errors/error-page.js';
import { formToken } from '../form.js';
import { publicForm } from '../form-page.js';
import type { Page } from '../page.js';
import { paths } from '../paths.js';
import type { Visit } from '../visit.js';

/** Asking for a link to set a new password. Every address gets the same answer. */
export const requestPasswordReset = publicForm({
  path: paths.forgotPassword,
  fields: ['email'],
  labels: { email: 'Email address' },
  about: checkMail,
  initial: () => ({ email: '' }),
  async send(visit, { email }) {
    checkMail(visit);
    await visit.core.requestPasswordReset({ email, address: visit.clientAddress });
    visit.leadTo(paths.passwordResetRequested);
  },
  show(visit, { problems, control }) {
    visit.showCard(
      { title: 'Forgot your password?', problems },
      <p>Enter the email address of your account. We’ll send you a link to choose a new password.</p>,
      <Form action="/forgot-password" token={formToken(visit)} problem={problems.general}>
        <Field {...control('email')} type="email" autocomplete="username" />
        <Button kind="primary">Send the link</Button>
      </Form>,
      <p class="fine-print">
        <a href="/sign-in">Back to sign in</a>
      </p>,
    );
  },
});

/** Without mail, there is no such page. */
function checkMail({ sendsMail }: Visit): void {
  if (!sendsMail) throw new PageError('not-found');
}

/** What happens after asking for a link. It is the same for every address, and can be loaded again. */
export const passwordResetRequested: Page = {
  path: paths.passwordResetRequested,
  get(visit) {
    checkMail(visit);
    visit.showCard(
      { title: 'Check your email' },
      <p>
        If there is an account with this address, we’ll send it a link to choose a new password. The link
        works once, within 30 minutes.
      </p>,
      <p>
        No email after a few minutes? Check your spam folder and the address, or ask{' '}
        <Operator visit={visit}>the people who run this service</Operator>.
      </p>,
      <p class="fine-print">
        <a href="/sign-in">Back to sign in</a>
      </p>,
    );
  },
};
