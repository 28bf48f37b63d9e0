import type { Request, Response } from 'express';
import { Button } from '../design/button.js';
import { Field, Form, type FormProblems, noProblems, statusOf } from '../design/form.js';
import { showPage } from '../design/layout.js';
import { consumeNotice, noticeOf } from '../design/notice.js';
import { type CarriedForm, type FormToken, formToken } from '../form-guard.js';
import type { PageDeps } from '../page-deps.js';

interface SignInForm {
  readonly next: string | null;
  readonly email: string;
  readonly problems: FormProblems;
  /** Another form, which is given back after signing in. */
  readonly kept: CarriedForm | null;
}

export function showSignIn(deps: PageDeps, request: Request, response: Response, form: SignInForm): void {
  const refused = form.problems !== noProblems;
  const isKept = form.kept !== null && !refused;
  showPage(deps, response, {
    status: isKept ? 403 : statusOf(form.problems),
    title: refused ? 'Error: Sign in' : 'Sign in',
    notice: isKept ? noticeOf('form-kept') : consumeNotice(deps, request, response),
    body: <SignInView form={form} sendsMail={deps.sendsMail} token={formToken(deps, request, response)} />,
  });
}

function SignInView(view: {
  readonly form: SignInForm;
  readonly sendsMail: boolean;
  readonly token: FormToken;
}) {
  const { next, email, problems, kept } = view.form;
  return (
    <section class="card narrow">
      <h1>Sign in</h1>
      <Form action={`/sign-in${kept?.query ?? ''}`} token={view.token} problem={problems.general}>
        {next !== null && <input type="hidden" name="next" value={next} />}
        {kept !== null && <input type="hidden" name={kept.name} value={kept.value} />}
        <Field name="email" label="Email address" type="email" autocomplete="username" value={email} />
        <Field name="password" label="Password" type="password" autocomplete="current-password" />
        <Button kind="primary">Sign in</Button>
      </Form>
      {view.sendsMail ? (
        <p class="fine-print">
          <a href="/forgot-password">Forgot your password?</a>
        </p>
      ) : (
        <p class="fine-print">
          Forgot your password? Ask the people who run this service to set a new one, or ask your organization
          for a login link.
        </p>
      )}
      <p class="fine-print">
        Developers: <a href="/docs">API documentation</a>
      </p>
    </section>
  );
}
