import type { Session } from '@rollcall/core';
import { named } from '../ask.js';
import { nameOf } from '../design/avatar.js';
import { Banner, Button } from '../design/components.js';
import { Form } from '../design/form.js';
import { meetingsPath } from '../errors/answer-errors.js';
import { formToken } from '../form.js';
import type { Page } from '../page.js';
import { paths, startPath } from '../paths.js';
import { clientOf, startSession } from './start-session.js';

/** The page of an `otl_url`. It has one button, so that only a person can use up the link (decision 19). */
export const redeemLoginLink: Page = {
  path: paths.loginLink,
  async get(visit) {
    const { organizationName } = await visit.core.readLoginLink({
      token: String(visit.request.params.token),
    });
    const session = await visit.findSession();
    // A session by another link has nothing to lose.
    const replaced = session?.startedBy === 'login-link' ? null : session;
    visit.showCard(
      { ...named`Sign in with ${organizationName}` },
      <p>
        This link signs you in once and opens your meetings with <bdi>{organizationName}</bdi>.
      </p>,
      replaced !== null && (
        <SignsOut user={replaced.user}>Signing in with this link signs you out here.</SignsOut>
      ),
      <Form token={formToken(visit)}>
        <Button kind="primary">Sign in</Button>
      </Form>,
      replaced !== null && (
        <p class="fine-print">
          <a href={await meetingsPath(visit, replaced)}>Go to my meetings without it</a>
        </p>
      ),
    );
  },
  async post(visit) {
    const token = String(visit.request.params.token);
    const opened = await visit.core.redeemLoginLink({ token, ...clientOf(visit) });
    await startSession(visit, opened);
    visit.leadTo(startPath(opened));
  },
};

/** The link may be for someone else who uses this browser, and its session can do less than that of a password. */
export function SignsOut({ user, children }: Pick<Session, 'user'> & { readonly children: string }) {
  return (
    <Banner tone="warning">
      You are signed in as <bdi>{nameOf(user)}</bdi>. {children}
    </Banner>
  );
}
