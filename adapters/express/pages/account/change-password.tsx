import { Secret } from '@rollcall/core';
import { Avatar, nameOf } from '../design/avatar.js';
import { BackLink, ButtonLink } from '../design/components.js';
import { Field, Form, Submit } from '../design/form.js';
import { Operator } from '../design/operator.js';
import { accountForm } from '../form-page.js';
import { paths } from '../paths.js';
import {
  askedFactorIn,
  SecondFactorFields,
  secondFactorLabels,
} from '../second-factor/second-factor-fields.js';
import { identityOf } from './own-identity.js';
import { AccountEmail, NewPassword } from './password-fields.js';
import { clientOf, startSession } from './start-session.js';

/** The reader's account, with the form to change the password. */
export const changePassword = accountForm({
  path: paths.account,
  labels: { currentPassword: 'Current password', newPassword: 'New password', ...secondFactorLabels },
  about: identityOf,
  async send(visit) {
    const opened = await visit.core.changePassword({
      session: visit.sessionToken,
      currentPassword: new Secret(visit.field('current_password')),
      newPassword: new Secret(visit.field('new_password')),
      // The core asks those for it who have one.
      secondFactor: askedFactorIn(visit) ?? undefined,
      ...clientOf(visit),
    });
    await startSession(visit, opened);
    visit.leadTo(paths.account, 'password-changed');
  },
  show(visit, { about: identity, problems, control }) {
    const { user } = visit.session;
    const name = nameOf(user);
    const { organization, organizations = [] } = visit.frame.navigation ?? {};
    const last = organizations.find(({ id }) => id === organization?.id);
    visit.show(
      { title: 'Your account', problems, notice: visit.consumeNotice() },
      <BackLink href={last?.path ?? paths.memberships}>
        {last === undefined ? 'Your organizations' : <bdi>{last.name}</bdi>}
      </BackLink>,
      <h1>Your account</h1>,
      <div class="own-account">
        <section class="card">
          <h2>Name and picture</h2>
          <p class="own-name">
            <Avatar person={{ ...user, name }} address={visit.address} />
            <bdi>{name}</bdi>
          </p>
          <p class="secondary-text">
            To change the picture, ask{' '}
            <Operator visit={visit}>the people who run {visit.serviceName}</Operator>.
          </p>
          <ButtonLink href={paths.ownName} text="Correct your name" />
        </section>
        <section class="card">
          <h2>Password</h2>
          <p>If you change it, you are signed out everywhere else.</p>
          <Form action="/account" token={visit.token} problem={problems.general}>
            <AccountEmail email={user.email} />
            <Field {...control('currentPassword')} type="password" autocomplete="current-password" />
            <NewPassword {...control('newPassword')} />
            {identity !== null && (
              <SecondFactorFields {...{ visit, asked: identity }} problem={problems.fields.secondFactor} />
            )}
            <Submit label="Change the password" />
          </Form>
        </section>
        <section class="card">
          <h2>Second factor</h2>
          <p>
            {visit.session.hasSecondFactor
              ? 'Your password alone signs nobody in.'
              : 'Add a passkey or an authenticator app, so that your password alone signs nobody in.'}
          </p>
          <ButtonLink
            href={paths.secondFactor}
            text={visit.session.hasSecondFactor ? 'Change your second factor' : 'Add a second factor'}
          />
        </section>
        <section class="card">
          <h2>Sessions</h2>
          <p>See where you are signed in.</p>
          <ButtonLink href={paths.sessions} text="See your sessions" />
        </section>
      </div>,
    );
  },
});
