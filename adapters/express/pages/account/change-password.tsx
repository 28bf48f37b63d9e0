import { Secret } from '@rollcall/core';
import type { VNode } from 'preact';
import { Avatar } from '../design/avatar.js';
import { BackLink, Button, ButtonLink } from '../design/components.js';
import { Field, Form, type FormProblems, type FormToken, noProblems, problemsOf } from '../design/form.js';
import { accountPage } from '../page.js';
import { paths } from '../paths.js';
import type { SignedInVisit } from '../visit.js';
import { clientOf, startSession } from './client.js';
import { AccountEmail, NewPassword } from './password-fields.js';

const labels = { currentPassword: 'Current password', newPassword: 'New password' };

/** The reader's account, with the form to change the password. */
export const changePassword = accountPage({
  path: paths.account,
  get: (visit) => showAccount(visit, noProblems),
  async post(visit) {
    try {
      const opened = await visit.core.changePassword({
        session: visit.cookies.read(visit.request, 'session'),
        currentPassword: new Secret(visit.field('current_password')),
        newPassword: new Secret(visit.field('new_password')),
        ...clientOf(visit),
      });
      await startSession(visit, opened);
      visit.leadTo(paths.account, 'password-changed');
    } catch (error) {
      showAccount(visit, problemsOf(error, labels));
    }
  },
});

function showAccount(visit: SignedInVisit, problems: FormProblems): void {
  const { session, token, serviceName, address } = visit;
  const { user } = session;
  const name = `${user.firstName} ${user.lastName}`;
  visit.show({
    title: 'Your account',
    problems,
    notice: visit.consumeNotice(),
    body: (
      <AccountView
        {...{ problems, token, name, serviceName }}
        email={user.email}
        avatar={<Avatar person={{ ...user, name }} address={address} />}
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
      <BackLink href="/meetings">Your organizations</BackLink>
      <h1>Your account</h1>
      <div class="own-account">
        <section class="card">
          <h2>Name and picture</h2>
          <p class="own-name">
            {avatar}
            <bdi>{name}</bdi>
          </p>
          <p class="secondary-text">To change the picture, ask the people who run {serviceName}.</p>
          <ButtonLink kind="secondary" href={paths.ownName}>
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
          <ButtonLink kind="secondary" href={paths.sessions}>
            See your sessions
          </ButtonLink>
        </section>
      </div>
    </>
  );
}
