import { SecondStepRequired, Secret } from '@rollcall/core';
import { showForm } from '../ask.js';
import { Actions } from '../design/components.js';
import { Field } from '../design/form.js';
import { accountForm } from '../form-page.js';
import { signedInPage } from '../page.js';
import { paths } from '../paths.js';
import { beginSecondStep } from '../second-factor/second-step.js';
import { AccountEmail } from './password-fields.js';
import { clientOf, startSession } from './start-session.js';

/**
 * Starts a new session for readers who give their password again, and ends the old one (decision 267). The warning before
 * the sign-out opens it in a tab of its own, so that nothing that is open is lost.
 */
export const renewSession = accountForm({
  path: paths.renewSession,
  labels: {},
  about: () => null,
  async send(visit) {
    const { email } = visit.session.user;
    const password = new Secret(visit.field('password'));
    try {
      await startSession(visit, await visit.core.signIn({ email, password, ...clientOf(visit) }));
    } catch (error) {
      if (!(error instanceof SecondStepRequired)) throw error;
      return beginSecondStep(visit, error, { next: paths.renewSession, notice: 'session-renewed' });
    }
    visit.leadTo(paths.renewSession, 'session-renewed');
  },
  show(visit, { problems }) {
    const page = { title: 'Stay signed in', problems, notice: visit.consumeNotice() };
    if (page.notice?.name === 'session-renewed')
      return visit.showCard(
        { ...{ ...page, heading: 'Go on where you were' } },
        <p>
          You can close this tab. If another tab has a form that you have filled in, send it there. It comes
          back filled in once, so that you can check it and send it again.
        </p>,
        <Actions primary={{ 'Go to the start page': '/' }} />,
      );
    showForm(visit, {
      ...page,
      controls: (
        <>
          <AccountEmail email={visit.session.user.email} />
          <Field name="password" label="Password" type="password" autocomplete="current-password" />
        </>
      ),
      submit: 'Stay signed in',
      cancelPath: '/',
      children: (
        <p>
          12 hours after you gave your password, you are signed out. Give it again to stay for another 12
          hours.
        </p>
      ),
    });
  },
});

/** Prolongs the session, like any page, for the warning before it ends. The header has the milliseconds until its end. */
export const prolongSession = signedInPage({
  path: paths.session,
  get({ session, response }) {
    response.set('X-Session-Ends-In', String(session.endsInMs)).status(204).end();
  },
});
