import { type ResumedSession, Secret } from '@rollcall/core';
import type { Request, Response } from 'express';
import { clientAddress } from '../client-address.js';
import { Button, ButtonLink } from '../design/button.js';
import { Field, Form, type FormProblems, noProblems, problemsOf, statusOf } from '../design/form.js';
import { showPage } from '../design/layout.js';
import { consumeNoticeName, noticeOf, setNotice } from '../design/notice.js';
import { deviceOf } from '../device-name.js';
import { type FormToken, fieldOf, formToken } from '../form-guard.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { startSession } from '../session.js';
import { AccountEmail } from './password-fields.js';
import { requireAccount } from './require-account.js';

const PATH = '/account/stay-signed-in';

/**
 * Starts a new session for readers who give their password again, and ends the old one (decision 267). The warning before
 * the sign-out opens it in a tab of its own, so that nothing that is open is lost.
 */
export function renewSession(deps: PageDeps): Page {
  return {
    path: PATH,
    get: requireAccount(deps, async (session, request, response) =>
      showForm(deps, request, response, { session, problems: noProblems }),
    ),
    post: requireAccount(deps, async (session, request, response) => {
      try {
        const opened = await deps.core.signIn({
          email: session.user.email,
          password: new Secret(fieldOf(request, 'password')),
          address: clientAddress(request),
          device: deviceOf(request),
        });
        await startSession(deps, request, response, opened);
        setNotice(deps, response, 'session-renewed');
        response.redirect(303, PATH);
      } catch (error) {
        showForm(deps, request, response, { session, problems: problemsOf(error, {}) });
      }
    }),
  };
}

interface RenewForm {
  readonly session: ResumedSession;
  readonly problems: FormProblems;
}

function showForm(
  deps: PageDeps,
  request: Request,
  response: Response,
  { session: { user, endsInMs }, problems }: RenewForm,
): void {
  const token = formToken(deps, request, response);
  const notice = consumeNoticeName(deps, request, response);
  showPage(deps, response, {
    status: statusOf(problems),
    title: problems === noProblems ? 'Stay signed in' : 'Error: Stay signed in',
    notice: notice === null ? null : noticeOf(notice),
    signedIn: { user, formToken: token, isBound: false, endsInMs },
    body:
      notice === 'session-renewed' ? <Renewed /> : <RenewView {...{ problems, token }} email={user.email} />,
  });
}

interface RenewViewProps {
  readonly email: string;
  readonly problems: FormProblems;
  readonly token: FormToken;
}

function RenewView({ email, problems, token }: RenewViewProps) {
  return (
    <section class="card narrow">
      <h1>Stay signed in</h1>
      <p>
        12 hours after you gave your password, you are signed out. Give it again to stay for another 12 hours.
      </p>
      <Form token={token} problem={problems.general}>
        <AccountEmail email={email} />
        <Field name="password" label="Password" type="password" autocomplete="current-password" />
        <div class="actions">
          <Button kind="primary">Stay signed in</Button>
          <ButtonLink kind="quiet" href="/">
            Cancel
          </ButtonLink>
        </div>
      </Form>
    </section>
  );
}

function Renewed() {
  return (
    <section class="card narrow">
      <h1>Go on where you were</h1>
      <p>
        You can close this tab. If another tab has a form that you have filled in, send it there. It comes
        back filled in once, so that you can check it and send it again.
      </p>
      <div class="actions">
        <ButtonLink kind="primary" href="/">
          Go to the start page
        </ButtonLink>
      </div>
    </section>
  );
}
