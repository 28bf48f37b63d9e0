import { type ResumedSession, Secret } from '@rollcall/core';
import type { Request, Response } from 'express';
import { Avatar } from '../design/avatar.js';
import { Button, ButtonLink } from '../design/button.js';
import {
  Field,
  Form,
  type FormProblems,
  INVALID_FORM_STATUS,
  noProblems,
  problemsOf,
} from '../design/form.js';
import { showPage } from '../design/layout.js';
import { consumeNotice, setNotice } from '../design/notice.js';
import { deviceOf } from '../device-name.js';
import { type FormToken, fieldOf, formToken } from '../form-guard.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { clientAddress, startSession } from '../session.js';
import { SESSIONS_PATH } from './list-sessions.js';
import { AccountEmail, NewPassword } from './password-fields.js';
import { requireAccount } from './require-account.js';

const labels = { currentPassword: 'Current password', newPassword: 'New password' };

/** The reader's account, with the form to change the password. */
export function changePassword(deps: PageDeps): Page {
  const { core, cookies } = deps;
  return {
    path: '/account',
    get: requireAccount(deps, async (session, request, response) =>
      showAccount(deps, request, response, { session, problems: noProblems }),
    ),
    post: requireAccount(deps, async (session, request, response) => {
      try {
        const opened = await core.changePassword({
          session: cookies.read(request, 'session'),
          currentPassword: new Secret(fieldOf(request, 'current_password')),
          newPassword: new Secret(fieldOf(request, 'new_password')),
          address: clientAddress(request),
          device: deviceOf(request),
        });
        await startSession(deps, request, response, opened);
        setNotice(deps, response, 'password-changed');
        response.redirect(303, '/account');
      } catch (error) {
        const problems = problemsOf(error, labels);
        showAccount(deps, request, response, { session, problems });
      }
    }),
  };
}

interface AccountForm {
  readonly session: ResumedSession;
  readonly problems: FormProblems;
}

function showAccount(
  deps: PageDeps,
  request: Request,
  response: Response,
  { session: { user, endsInMs }, problems }: AccountForm,
): void {
  const refused = problems !== noProblems;
  const token = formToken(deps, request, response);
  const name = `${user.firstName} ${user.lastName}`;
  showPage(deps, response, {
    status: refused ? INVALID_FORM_STATUS : 200,
    title: refused ? 'Error: Your account' : 'Your account',
    notice: consumeNotice(deps, request, response),
    signedIn: { user, formToken: token, isBound: false, endsInMs },
    body: (
      <section class="card narrow">
        <h1>Your account</h1>
        <p class="own-name">
          <Avatar person={{ ...user, name }} address={deps.address} />
          <bdi>{name}</bdi>
        </p>
        <AccountView {...{ problems, token }} email={user.email} />
      </section>
    ),
  });
}

interface AccountViewProps {
  readonly email: string;
  readonly problems: FormProblems;
  readonly token: FormToken;
}

function AccountView({ email, problems, token }: AccountViewProps) {
  return (
    <>
      <p class="back-link">
        <a href="/meetings">Your organizations</a>
      </p>
      <h2>Change your password</h2>
      <p>You will be signed out everywhere else.</p>
      <Form action="/account" token={token} problem={problems.general}>
        <AccountEmail email={email} />
        <Field
          name="current_password"
          label={labels.currentPassword}
          type="password"
          autocomplete="current-password"
          problem={problems.fields.currentPassword}
        />
        <NewPassword label={labels.newPassword} problem={problems.fields.newPassword} />
        <Button kind="primary">Change the password</Button>
      </Form>
      <h2>Your sessions</h2>
      <p>Check where you are signed in, and sign out there.</p>
      <ButtonLink kind="secondary" href={SESSIONS_PATH}>
        See your sessions
      </ButtonLink>
    </>
  );
}
