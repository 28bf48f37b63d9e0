import { Refusal, type SecondFactorProof, Secret } from '@rollcall/core';
import { NoPassword } from '../account/own-identity.js';
import { AccountEmail } from '../account/password-fields.js';
import { clientOf, startSession } from '../account/start-session.js';
import { Button } from '../design/components.js';
import { Field, Form, type FormProblems, noProblems, problemsOf } from '../design/form.js';
import { formToken } from '../form.js';
import type { Page } from '../page.js';
import { paths } from '../paths.js';
import {
  askedFactorIn,
  SecondFactorFields,
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
    const pending = pendingOf(visit);
    const { organizationId } = pending.confirmation;
    try {
      const factor = askedFactorIn(visit);
      if (factor !== null) return await finish(visit, pending, factor);
      const proof = proofIn(visit);
      const proved = { confirmation: pending.confirmation, proof, address: visit.clientAddress };
      const confirmation = await visit.core.proveSignOn(proved);
      if ((await visit.core.askSecondFactor({ confirmation })) === null)
        return await finish(visit, { ...pending, confirmation });
      keep(visit, organizationId, { as: 'confirmation', what: { ...pending, confirmation } });
      visit.leadTo(visit.request.path);
    } catch (error) {
      await showConfirm(visit, problemsOf(error, secondFactorLabels));
    }
  },
};

async function finish(
  visit: Visit,
  { confirmation, next }: Pending,
  secondFactor?: SecondFactorProof,
): Promise<void> {
  const opened = await visit.core.confirmSignOn({ confirmation, secondFactor, ...clientOf(visit) });
  forget(visit);
  await startSession(visit, opened);
  rememberOrganization(visit, confirmation.organizationId);
  visit.leadTo(next ?? paths.memberships);
}

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

type Pending = ReturnType<typeof pendingOf>;

function proofIn(visit: Visit) {
  const isCode = 'code' in visit.request.body;
  const typed = visit.field(isCode ? 'code' : 'password');
  if ((isCode ? typed.trim() : typed) === '')
    throw new Refusal('wrong-credentials', `Enter ${isCode ? 'the code' : 'your password'}`);
  return isCode ? { code: typed } : { password: new Secret(typed) };
}

async function showConfirm(visit: Visit, problems: FormProblems): Promise<void> {
  const { confirmation, email } = pendingOf(visit);
  const asked = await visit.core.askSecondFactor({ confirmation });
  const token = formToken(visit);
  const { organizationId, code } = confirmation;
  visit.showCard(
    { title: 'Confirm that this is you', problems, notice: visit.consumeNotice() },
    <p>
      You are signed in at your organization. We ask once whether this account is yours. From then on, you
      come in without your password here.
    </p>,
    <Form action={paths.confirmSignOn(organizationId)} token={token} problem={problems.general}>
      <AccountEmail email={email} />
      {asked !== null && <SecondFactorFields {...{ visit, asked }} problem={problems.fields.secondFactor} />}
      {asked === null && code === null && (
        <Field name="password" label="Password" type="password" autocomplete="current-password" />
      )}
      {asked === null && code !== null && (
        <Field
          name="code"
          label="Code"
          autocomplete="one-time-code"
          inputmode="numeric"
          help="The 8 digits in the email that we have sent to this address."
        />
      )}
      <Button kind="primary">This is me</Button>
    </Form>,
    asked === null && !visit.sendsMail && <NoPassword {...{ visit }} />,
    asked === null && visit.sendsMail && (
      <Form action={paths.mailSignOnCode(organizationId)} token={token}>
        <Button busy="Sending …">
          {code === null ? 'Email me a code instead' : 'Email me another code'}
        </Button>
      </Form>
    ),
  );
}
