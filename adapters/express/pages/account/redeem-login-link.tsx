import { Button } from '../design/button.js';
import { Form } from '../design/form.js';
import { showPage } from '../design/layout.js';
import { deviceOf } from '../device-name.js';
import { formToken } from '../form-guard.js';
import type { Page } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { clientAddress, startPath, startSession } from '../session.js';

/** The page of an `otl_url`. It has one button, so that only a person can use up the link (decision 19). */
export function redeemLoginLink(deps: PageDeps): Page {
  const { core } = deps;
  return {
    path: '/login/:token',
    async get(request, response) {
      const { organizationName } = await core.readLoginLink({ token: String(request.params.token) });
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
            <Form token={formToken(deps, request, response)}>
              <Button kind="primary">Sign in</Button>
            </Form>
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
