import { type ResumedSession, Secret } from '@rollcall/core';
import type { Request, Response } from 'express';
import type { VNode } from 'preact';
import { clientAddress } from '../client-address.js';
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
import { startSession } from '../session.js';
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
      <AccountView
        {...{ problems, token, name }}
        email={user.email}
        serviceName={deps.serviceName}
        avatar={<Avatar person={{ ...user, name }} address={deps.address} />}
      />
    ),
  });
}

interface AccountViewProps {
  readonly name: string;
  readonly avatar: VNode;
  readonly email: string;
  readonly serviceName: string;
  readonly problems: FormProblems;
  readonly token: FormToken;
}

function AccountView({ name, avatar, email, serviceName, problems, token }: AccountViewProps) {
  return (
    <>
      <p class="back-link">
        <a href="/meetings">Your organizations</a>
      </p>
      <h1>Your account</h1>
      <div class="own-account">
        <section class="card">
          <h2>Name and picture</h2>
          <p class="own-name">
            {avatar}
            <bdi>{name}</bdi>
          </p>
          <p class="secondary-text">To change the picture, ask the people who run {serviceName}.</p>
          <ButtonLink kind="secondary" href="/account/name">
            Correct your name
          </ButtonLink>
        </section>
        <section class="card">
          <h2>Password</h2>
          <p>If you change it, you are signed out everywhere else.</p>
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
            <div class="actions">
              <Button kind="primary">Change the password</Button>
            </div>
          </Form>
        </section>
        <section class="card">
          <h2>Sessions</h2>
          <p>See where you are signed in.</p>
          <ButtonLink kind="secondary" href={SESSIONS_PATH}>
            See your sessions
          </ButtonLink>
        </section>
      </div>
    </>
  );
}
