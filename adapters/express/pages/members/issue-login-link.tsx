import { Secret } from '@rollcall/core';
import { named } from '../ask.js';
import { nameOf } from '../design/avatar.js';
import { ButtonLink, CopyText, OneTimeSecret } from '../design/components.js';
import { redirectToSecret, showSecretOnce } from '../one-time-secret.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import { memberOf } from './change-role.js';

/** Creates a login link for a member, as programs do, and shows it once. */
export const issueLoginLink = memberPage({
  path: paths.loginLinkOf(':id', ':userId'),
  async post(visit) {
    const { core, organization, by } = visit;
    const { user, uuid } = await memberOf(visit);
    const { url } = await core.issueLoginLink({ organization, uuid, by });
    const path = paths.newLoginLink(organization.id, user.id);
    redirectToSecret(visit, { path, secret: new Secret(url) });
  },
});

export const showLoginLink = memberPage({
  path: paths.newLoginLink(':id', ':userId'),
  async get(visit) {
    const { organization } = visit;
    const { user } = await memberOf(visit);
    const { title, heading } = named`Login link for ${nameOf(user)}`;
    const back = { href: paths.member(organization.id, user.id), text: 'Go back' };
    showSecretOnce(visit, {
      title,
      thing: 'The login link',
      lost: 'A login link is shown once. If you need one, create another.',
      back,
      next: { href: paths.people(organization.id), text: 'People' },
      view: (url) => (
        <OneTimeSecret heading={heading} warning="Copy this link now. It is not shown again.">
          <CopyText id="login-link" label="Login link" text={url} isMain />
          <p>
            Within five minutes and once, it opens <bdi>{nameOf(user)}</bdi>’s own meetings with{' '}
            <bdi>{organization.name}</bdi>, for anyone who has it. Send it to no one else.
          </p>
          <ButtonLink href={back.href} text="Done" />
        </OneTimeSecret>
      ),
    });
  },
});
