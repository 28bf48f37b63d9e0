import { Refusal, Secret } from '@rollcall/core';
import { NoPassword } from '../account/own-identity.js';
import { AccountEmail } from '../account/password-fields.js';
import { clientOf, startSession } from '../account/start-session.js';
import { Button } from '../design/components.js';
import { Field, Form, type FormProblems, noProblems, problemsOf } from '../design/form.js';
import { formToken } from '../form.js';
import type { Page } from '../page.js';
import { paths } from '../paths.js';
import {
  CODE,
  SecondFactorFields,
  secondFactorIn,
  secondFactorLabels,
} from '../second-factor/second-factor-fields.js';
import { canonicalId, type Visit } from '../visit.js';
import { forget, keep, kept } from './kept-sign-on.js';
import { rememberOrganization } from './last-organization.js';

/** Asks once whether the person is the member whose name their identity provider gave: for roles, and for accounts with a past. */
export const confirmSignOn: Page = {
  path: paths.confirmSignOn(':id'),
  get: (visit) => showConfirm(visit, noProblems),
  async post(visit) {
    const { core } = visit;
    const { confirmation, next } = pendingOf(visit);
    const missing = missingIn(visit);
    if (missing !== null) return await showConfirm(visit, { general: missing, fields: {} });
    try {
      const secondFactor = CODE in visit.request.body ? secondFactorIn(visit) : undefined;
      const proof = proofIn(visit);
      const opened = await core.confirmSignOn({ confirmation, proof, secondFactor, ...clientOf(visit) });
      forget(visit);
      await startSession(visit, opened);
      rememberOrganization(visit, confirmation.organizationId);
      visit.leadTo(next ?? paths.memberships);
    } catch (error) {
      await showConfirm(visit, problemsOf(error, secondFactorLabels));
    }
  },
};

/** Mails a code to the member, who may have no password. */
export const mailSignOnCode: Page = {
  path: paths.mailSignOnCode(':id'),
  async post(visit) {
    const pending = pendingOf(visit);
    const { organizationId } = pending.confirmation;
    try {
      const confirmation = await visit.core.mailSignOnCode(pending);
      keep(visit, organizationId, { as: 'confirmation', what: { ...pending, confirmation } });
      visit.leadTo(paths.confirmSignOn(organizationId), 'sign-on-code-mailed');
    } catch (error) {
      await showConfirm(visit, problemsOf(error, {}, ['mail-not-sent']));
    }
  },
};

function pendingOf(visit: Visit) {
  const pending = kept(visit, canonicalId(visit.request.params.id), 'confirmation');
  if (pending === null) throw new Refusal('sign-on-ended', 'There is nothing to confirm in this browser');
  return pending;
}

function missingIn(visit: Visit): string | null {
  if (isCode(visit)) return visit.field('code').trim() === '' ? 'Enter the code' : null;
  return visit.field('password') === '' ? 'Enter your password' : null;
}

function proofIn(visit: Visit) {
  return isCode(visit) ? { code: visit.field('code') } : { password: new Secret(visit.field('password')) };
}

function isCode({ request }: Visit): boolean {
  return 'code' in request.body;
}

async function showConfirm(visit: Visit, problems: FormProblems): Promise<void> {
  const { confirmation, email } = pendingOf(visit);
  const asked = await visit.core.askSecondFactor({ confirmation });
  const token = formToken(visit);
  const { organizationId, code } = confirmation;
  visit.show({
    title: 'Confirm that this is you',
    problems,
    notice: visit.consumeNotice(),
    body: (
      <section class="card narrow">
        <h1>Confirm that this is you</h1>
        <p>
          You are signed in at your organization. We ask once whether this account is yours. From then on, you
          come in without it.
        </p>
        <Form action={paths.confirmSignOn(organizationId)} token={token} problem={problems.general}>
          <AccountEmail email={email} />
          {code === null ? (
            <Field name="password" label="Password" type="password" autocomplete="current-password" />
          ) : (
            <Field
              name="code"
              label="Code"
              autocomplete="one-time-code"
              help="The 8 digits in the email that we have sent to this address."
            />
          )}
          {asked !== null && (
            <SecondFactorFields {...{ visit, asked }} problem={problems.fields.secondFactor} />
          )}
          <Button kind="primary">This is me</Button>
        </Form>
        {!visit.sendsMail && <NoPassword {...{ visit }} />}
        {visit.sendsMail && (
          <Form action={paths.mailSignOnCode(organizationId)} token={token}>
            <Button kind="secondary" busy="Sending …">
              {code === null ? 'Email me a code instead' : 'Email me another code'}
            </Button>
          </Form>
        )}
      </section>
    ),
  });
}
