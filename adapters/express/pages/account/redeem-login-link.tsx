import type { Session } from '@rollcall/core';
import { clientAddress } from '../client-address.js';
import { Banner } from '../design/banner.js';
import { Button } from '../design/button.js';
import { Form } from '../design/form.js';
import { showPage } from '../design/layout.js';
import { deviceOf } from '../device-name.js';
import { formToken } from '../form-guard.js';
import { meetingsPath } from '../next-steps.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { currentSession, startPath, startSession } from '../session.js';

/** The page of an `otl_url`. It has one button, so that only a person can use up the link (decision 19). */
export function redeemLoginLink(deps: PageDeps): Page {
  const { core } = deps;
  return {
    path: '/login/:token',
    async get(request, response) {
      const { organizationName } = await core.readLoginLink({ token: String(request.params.token) });
      const session = await currentSession(deps, request);
      // A session by another link has nothing to lose.
      const replaced = session?.boundTo === null ? session : null;
      showPage(deps, response, {
        title: `Sign in with ${organizationName}`,
        body: (
          <section class="card narrow">
            <h1>
              Sign in with <bdi>{organizationName}</bdi>
            </h1>
            <p>
              This link signs you in once and opens your meetings with <bdi>{organizationName}</bdi>.
            </p>
            {replaced !== null && <SignsOut user={replaced.user} />}
            <Form token={formToken(deps, request, response)}>
              <Button kind="primary">Sign in</Button>
            </Form>
            {replaced !== null && (
              <p class="fine-print">
                <a href={await meetingsPath(deps, replaced)}>Go to my meetings without it</a>
              </p>
            )}
          </section>
        ),
      });
    },
    async post(request, response) {
      const token = String(request.params.token);
      const opened = await core.redeemLoginLink({
        token,
        address: clientAddress(request),
        device: deviceOf(request),
      });
      await startSession(deps, request, response, opened);
      response.redirect(303, startPath(opened));
    },
  };
}

/** The link may be for someone else who uses this browser, and its session can do less than that of a password. */
function SignsOut({ user: { firstName, lastName } }: Pick<Session, 'user'>) {
  return (
    <Banner tone="warning">
      You are signed in as <bdi>{`${firstName} ${lastName}`}</bdi>. Signing in with this link signs you out
      here.
    </Banner>
  );
}
