import { Secret } from '@rollcall/core';
import { nameOf } from '../design/avatar.js';
import { Banner, ButtonLink, CopyText, Message, OneTimeSecret } from '../design/components.js';
import { consumeSecret, redirectToSecret } from '../one-time-secret.js';
import { memberPage } from '../page.js';
import { paths } from '../paths.js';
import { memberOf } from './change-role.js';

/** Creates a login link for a member, as programs do, and shows it once. */
export const issueLoginLink = memberPage({
  path: paths.loginLinkOf(':id', ':userId'),
  section: 'people',
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
  section: 'people',
  async get(visit) {
    const { organization } = visit;
    const { user } = await memberOf(visit);
    const url = consumeSecret(visit, paths.newLoginLink(organization.id, user.id));
    const back = { href: paths.member(organization.id, user.id), text: 'Go back' };
    visit.show({
      mayReload: false,
      title: url === null ? 'The login link can’t be shown again' : `Login link for ${nameOf(user)}`,
      body:
        url === null ? (
          <Message
            title="The login link can’t be shown again"
            back={back}
            next={{ href: paths.people(organization.id), text: 'People' }}
          >
            <p>A login link is shown once. If you need one, create another.</p>
          </Message>
        ) : (
          <>
            <h1>
              Login link for <bdi>{nameOf(user)}</bdi>
            </h1>
            <OneTimeSecret>
              <Banner tone="warning">Copy this link now. It is not shown again.</Banner>
              <CopyText id="login-link" label="Login link" text={url} isMain />
              <p>
                Within five minutes and once, it opens <bdi>{nameOf(user)}</bdi>’s own meetings with{' '}
                <bdi>{organization.name}</bdi>, for anyone who has it. Send it to no one else.
              </p>
              <ButtonLink kind="secondary" href={back.href}>
                Done
              </ButtonLink>
            </OneTimeSecret>
          </>
        ),
    });
  },
});
