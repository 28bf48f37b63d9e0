import { type CreatedSession, type PendingSignIn, Refusal, type SecondStepRequired } from '@rollcall/core';
import { secondStepLifetimeMs } from '@rollcall/core/rules';
import { clientOf, startSession } from '../account/start-session.js';
import { Button } from '../design/components.js';
import { expiredForm, Form, type FormProblems, noProblems, problemsOf } from '../design/form.js';
import type { NoticeName } from '../design/notice.js';
import { TextWithOperator } from '../design/operator.js';
import { keepInCookie, keptInCookie } from '../encrypted-cookie.js';
import { PageError } from '../errors/error-page.js';
import { carriedField, carriedForm, formToken, isOwnForm } from '../form.js';
import type { Page } from '../page.js';
import { keptPath, paths, startPath } from '../paths.js';
import type { Visit } from '../visit.js';
import { SecondFactorFields, secondFactorIn, secondFactorLabels } from './second-factor-fields.js';

const COOKIE = { name: 'second-step', context: 'a sign-in that waits for its second step' } as const;
const LIFETIME_SECONDS = secondStepLifetimeMs / 1000;

/** What the browser keeps between both steps, encrypted. */
interface Kept {
  readonly pending: PendingSignIn;
  /** Where the person was going; null: to the start. */
  readonly next: string | null;
  readonly notice?: NoticeName;
}

/** Goes on to the second step. A form that waits for the sign-in goes along. */
export async function beginSecondStep(
  visit: Visit,
  { pending }: SecondStepRequired,
  { next, notice }: Omit<Kept, 'pending'>,
): Promise<void> {
  const kept: Kept = { pending, next: keptPath(next), ...(notice !== undefined && { notice }) };
  const text = JSON.stringify(kept);
  keepInCookie(visit, { ...COOKIE, text, seconds: LIFETIME_SECONDS });
  if (carriedField(visit) === null) return visit.leadTo(paths.secondStep);
  await show(visit, kept, noProblems);
}

function keptIn(visit: Visit): Kept | null {
  const text = keptInCookie(visit, COOKIE);
  return text === null ? null : JSON.parse(text);
}

function waitingIn(visit: Visit): Kept {
  const kept = keptIn(visit);
  if (kept !== null) return kept;
  throw new Refusal('second-step-ended', 'No sign-in waits for its second step in this browser');
}

/** The step after the password. There is no session before it. */
export const secondStep: Page = {
  path: paths.secondStep,
  mayBeLarge: async (visit) => isOwnForm(visit),
  async get(visit) {
    const kept = waitingIn(visit);
    await show(visit, kept, noProblems, null);
  },
  async expired(visit) {
    const kept = keptIn(visit);
    if (kept === null) throw new PageError('expired-form');
    await show(visit, kept, expiredForm);
  },
  async post(visit) {
    const kept = waitingIn(visit);
    const { pending, next, notice } = kept;
    let opened: CreatedSession;
    try {
      const proof = secondFactorIn(visit);
      opened = await visit.core.passSecondStep({ pending, proof, ...clientOf(visit) });
    } catch (error) {
      return show(visit, kept, problemsOf(error, secondFactorLabels));
    }
    visit.cookies.clear(visit.response, 'second-step');
    await startSession(visit, opened);
    const form = await carriedForm(visit);
    // The browser sends the kept form on, to the page that it was typed into.
    if (form?.userId === opened.user.id) return visit.response.redirect(307, form.path);
    visit.leadTo(next ?? startPath(opened), notice);
  },
};

/** `form`: another one, which is given back after signing in. */
async function show(
  visit: Visit,
  { pending }: Kept,
  problems: FormProblems,
  form = carriedField(visit),
): Promise<void> {
  const asked = await visit.core.askSecondFactor({ pending });
  // Removed meanwhile: the password alone signs in.
  if (asked === null) return visit.leadTo(paths.signIn);
  visit.showCard(
    { title: 'Second step', problems },
    <p>
      Your password is right. Now prove with your second factor that it is you, <bdi>{asked.user.email}</bdi>.
    </p>,
    <Form
      action={`${paths.secondStep}${form?.query ?? ''}`}
      token={formToken(visit)}
      problem={problems.general}
    >
      {form !== null && <input type="hidden" name={form.name} value={form.value} />}
      <SecondFactorFields {...{ visit, asked }} problem={problems.fields.secondFactor} />
      <Button kind="primary">Sign in</Button>
    </Form>,
    <p class="fine-print">
      <TextWithOperator
        visit={visit}
        text="Lost your device and your recovery codes? Ask the people who run this service."
      />
    </p>,
    <p class="fine-print">
      <a href={paths.signIn}>Sign in as someone else</a>
    </p>,
  );
}
