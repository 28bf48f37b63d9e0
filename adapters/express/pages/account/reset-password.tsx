import { Secret } from '@rollcall/core';
import { Button } from '../design/components.js';
import { Form } from '../design/form.js';
import { formToken } from '../form.js';
import { publicForm } from '../form-page.js';
import { paths } from '../paths.js';
import type { Visit } from '../visit.js';
import { AccountEmail, NewPassword } from './password-fields.js';
import { rememberEmail } from './remembered-email.js';

/** The page of a link in a mail. GET does not use up the link: mail programs open links too. */
export const resetPassword = publicForm({
  path: paths.resetPassword,
  labels: { newPassword: 'New password' },
  about: (visit) => visit.core.readPasswordReset({ token: tokenIn(visit) }),
  async send(visit) {
    const newPassword = new Secret(visit.field('new_password'));
    const { email } = await visit.core.resetPassword({ token: tokenIn(visit), newPassword });
    rememberEmail(visit, email);
    visit.leadTo(paths.signIn, 'password-reset');
  },
  show(visit, { about: { email }, problems, control }) {
    visit.showCard(
      { title: 'Choose a new password', problems },
      <p>You will be signed out everywhere.</p>,
      <Form token={formToken(visit)} problem={problems.general}>
        <AccountEmail email={email} />
        <NewPassword {...control('newPassword')} />
        <Button kind="primary">Change the password</Button>
      </Form>,
    );
  },
});

function tokenIn({ request }: Visit): string {
  return String(request.params.token);
}
