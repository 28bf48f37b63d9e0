import { Refusal } from '@rollcall/core';
import { SignsOut } from '../account/redeem-login-link.js';
import { Actions } from '../design/components.js';
import { isFromOtherSite } from '../form.js';
import type { Page } from '../page.js';
import { keptPath, pathAfterSignIn, paths, withQuery } from '../paths.js';
import { canonicalId, type Visit } from '../visit.js';
import { keep } from './kept-sign-on.js';
import { forgetOrganization, lastOrganization } from './last-organization.js';

/**
 * Where people of an organization sign in, also when its identity provider has sent them. It names no organization, so that
 * nobody reads from it who is a customer. One link leads on: a page that leads on by itself could sign people in unasked.
 */
export const openSignOn: Page = {
  path: paths.organizationSignIn(':id'),
  async get(visit) {
    const { core, address, request } = visit;
    const organizationId = canonicalId(request.params.id);
    const issuer = parameter(visit, 'iss');
    const { host } = await core.openSignOn({ organizationId, issuer }).catch((error: unknown) => {
      if (error instanceof Refusal && lastOrganization(visit) === organizationId) forgetOrganization(visit);
      throw error;
    });
    const target = parameter(visit, 'target_link_uri');
    const next = pathAfterSignIn(parameter(visit, 'next') ?? (target && address.localPath(target)));
    const query = passedOn(visit, next);
    const session = await visit.findSession();
    const replaced = session?.startedBy === 'password' ? session : null;
    visit.showCard(
      { title: 'Sign in at your organization' },
      <p>
        You sign in at <bdi>{host}</bdi>, and come back here. We never see that password.
      </p>,
      replaced !== null && (
        <SignsOut user={replaced.user}>Signing in at your organization signs you out here.</SignsOut>
      ),
      <Actions
        primary={{ Continue: withQuery(paths.startSignOn(organizationId), query) }}
        quiet={{ 'Use a password instead': withQuery(paths.signIn, next === null ? {} : { next }) }}
      />,
    );
  },
};

/** Leads to the identity provider. It is opened by a link: our policy for forms also covers where a form is redirected to. */
export const startSignOn: Page = {
  path: paths.startSignOn(':id'),
  async get(visit) {
    const { core, request, response } = visit;
    const organizationId = canonicalId(request.params.id);
    const next = pathAfterSignIn(parameter(visit, 'next'));
    // Only the person may begin it: another site could replace the account that is signed in.
    if (isFromOtherSite(request))
      return visit.leadTo(withQuery(paths.organizationSignIn(organizationId), passedOn(visit, next)));
    const loginHint = parameter(visit, 'login_hint');
    const { url, started } = await core.beginSignOn({
      ...{ organizationId, loginHint, address: visit.clientAddress },
    });
    keep(visit, organizationId, { as: 'begun', what: { started, next: keptPath(next) } });
    response.redirect(303, url);
  },
};

function passedOn(visit: Visit, next: string | null): Readonly<Record<string, string>> {
  const hint = parameter(visit, 'login_hint');
  return { ...(next !== null && { next }), ...(hint !== null && { login_hint: hint }) };
}

function parameter({ request }: Visit, name: string): string | null {
  const value = request.query[name];
  return typeof value === 'string' && value !== '' ? value : null;
}
